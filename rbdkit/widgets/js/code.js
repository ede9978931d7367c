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

// Numbers of the first and of the last line of a function's docstring, or null.
function docstring(lines) {
  const first = lines.findIndex((line) => /^\s*[rRuU]?"""/.test(line));
  if (first < 0 || !/^(async )?def |^class |^@|^\s/.test(lines[0]) || lines.slice(0, first).some((line) => /:\s*$/.test(line) && !/^\s*(async )?def |^\)/.test(line))) return null;
  if (lines[first].split('"""').length > 2) return null; // one line is no burden
  const rest = lines.slice(first + 1).findIndex((line) => line.includes('"""'));
  return rest < 0 ? null : [first, first + 1 + rest];
}

// Customary symbols in a stretch of source, each as an element that knows which it is.
function with_symbols(part, symbols) {
  if (typeof part !== "string" || !symbols.length) return [part];
  return part.split(/([A-Za-z_]\w*)/).map((word) => (symbols.includes(word) ? h("span", { class: "rbd-symbol", "data-symbol": word }, word) : word));
}
