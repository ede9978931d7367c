// The transport bar: play, pause, scrub, step, rate, loop, time.

const RATES = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];

class Transport {
  constructor(player) {
    this.player = player;
    this.toggle = button("play", "Play (space)", () => player.toggle(), { class: "rbd-button rbd-play" });
    this.slider = h("input", { type: "range", class: "rbd-scrub", step: "any", min: 0, max: 1, title: "Drag to move in time", "aria-label": "Time" });
    this.slider.addEventListener("input", () => {
      if (player.playing) player.pause();
      player.seek(Number(this.slider.value));
    });
    this.marks = h("div", { class: "rbd-marks" });
    this.line = h("div", { class: "rbd-line" }, this.slider, this.marks);
    this.time = h("output", { class: "rbd-time", title: "Time and duration" });
    this.rate = h("select", { class: "rbd-rate", title: "Playing speed", "aria-label": "Playing speed",
      onchange: () => player.set("rate", Number(this.rate.value)) });
    this.loop = button("loop", "Play in a loop (L)", () => player.set("loop", !player.loop), { "aria-pressed": false });
    this.el = h("div", { class: "rbd-transport", role: "group", "aria-label": "Player" },
      button("first", "To the start (Home)", () => player.seek(player.tracks.start)),
      button("back", "One step back (\u2190)", () => player.step(-1)),
      this.toggle,
      button("forward", "One step forward (\u2192)", () => player.step(1)),
      this.line, this.time, this.rate, this.loop);
    this.update = () => this.show();
    this.remark = () => player.tracks && this.show_marks();
    player.model.on("change:_marks", this.remark);
    player.listeners.add(this.update);
    this.show();
  }

  show() {
    const { player } = this;
    this.el.hidden = !player.tracks;
    if (!player.tracks) return;
    const { start, end } = player.tracks;
    if (this.shown_tracks !== player.tracks) {
      this.shown_tracks = player.tracks;
      Object.assign(this.slider, { min: start, max: end });
      this.digits = Math.min(6, Math.max(2, Math.ceil(1 - Math.log10(Math.max(1e-9, (end - start) / 100)))));
      this.total = end.toFixed(this.digits);
      this.show_marks();
    }
    this.slider.value = player.t;
    this.slider.style.setProperty("--done", `${(100 * (player.t - start)) / (end - start || 1)}%`);
    const time = player.t.toFixed(this.digits);
    if (this.written !== time) this.time.textContent = `${time} / ${this.total} s`;
    this.written = time;
    if (this.shown_rate !== player.rate) this.show_rate(player.rate);
    if (this.shown_playing !== player.playing) {
      this.shown_playing = player.playing;
      this.toggle.replaceChildren(icon(player.playing ? "pause" : "play"));
      const tip = player.playing ? "Pause (space)" : "Play (space)";
      this.toggle.title = tip;
      this.toggle.setAttribute("aria-label", tip);
    }
    this.loop.setAttribute("aria-pressed", player.loop);
  }

  // Events: a click goes there.
  show_marks() {
    const { start, end } = this.player.tracks;
    const marks = this.player.model.get("_marks") || [];
    this.marks.replaceChildren(...marks.map(([t, text, color]) => h("button", {
      class: "rbd-mark", type: "button", title: text, "aria-label": text, tabindex: -1,
      style: `left: ${(100 * (t - start)) / (end - start || 1)}%; background: ${color}`,
      onclick: () => { if (this.player.playing) this.player.pause(); this.player.seek(t); },
    })));
  }

  show_rate(rate) {
    this.shown_rate = rate;
    const rates = [...new Set([...RATES, rate])].sort((a, b) => a - b);
    this.rate.replaceChildren(...rates.map((r) => h("option", { value: r }, `${r}\u00d7`)));
    this.rate.value = rate;
  }

  dispose() {
    this.player.listeners.delete(this.update);
    this.player.model.off("change:_marks", this.remark);
  }
}
