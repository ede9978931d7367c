// Sliders that move by themselves to where they are asked to be, so that one sees what changes.

const GLIDE = 700; // ms

// Calls go(numbers) on the way and at the end; numbers that jump, choices say, are there at once, and so is everything for those
// who want no motion. to: null where a number stays. Returns how to stop.
function glide(from, to, jumps, go) {
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const begin = performance.now();
  let running = null;
  const move = (now) => {
    const part = still ? 1 : Math.min(1, Math.max(0, (now - begin) / GLIDE));
    const eased = part * part * (3 - 2 * part);
    go(from.map((x, n) => (to[n] === null ? x : jumps[n] || part === 1 ? to[n] : x + eased * (to[n] - x))));
    running = part < 1 ? requestAnimationFrame(move) : null;
  };
  move(begin);
  return () => cancelAnimationFrame(running);
}
