// Python text in colours, enough to read it by.

const PYTHON = /(#.*$)|("""[^]*?"""|'[^']*'|"[^"]*")|\b(def|for|in|if|else|elif|while|return|raise|from|import|as|is|not|and|or|None|True|False|lambda|with|try|except|yield|class)\b|\b(\d[\d._]*(?:e[-+]?\d+)?)\b/gm;

function colored(line, in_text) {
  if (in_text) return [h("span", { class: "rbd-text" }, line)];
  const parts = [];
  let end = 0;
  for (const found of line.matchAll(PYTHON)) {
    if (found.index > end) parts.push(line.slice(end, found.index));
    const kind = ["note", "text", "word", "digits"][found.slice(1).findIndex((group) => group !== undefined)];
    parts.push(h("span", { class: `rbd-${kind}` }, found[0]));
    end = found.index + found[0].length;
  }
  parts.push(line.slice(end));
  return parts;
}

// For each line whether it lies inside a text of several lines; such a text's first and last line count too.
function inside_texts(lines) {
  let open = false;
  return lines.map((line) => {
    const marks = line.split('"""').length - 1;
    const inside = open || marks === 1;
    if (marks % 2) open = !open;
    return inside;
  });
}
