// Numbers written as Python's formats write them: [[fill]align][sign][0][width][[.digits]type], for floats.

const FORMAT = /^(?:(.)?([<>=^]))?([ +-])?(0)?(\d+)?(?:\.(\d+))?([eEfFgG%])?$/su;

// Exactly so many digits after the point, or of a mantissa; a tie goes to the even digit, where JavaScript goes away from zero.
function rounded(x, digits, write) {
  const text = x[write](digits);
  const exact = x[write](100); // all that a tie can have
  const [mantissa, power = ""] = exact.split("e");
  const rest = mantissa.split(".")[1].slice(digits);
  if (!/^50*$/.test(rest)) return text;
  const [kept, whole] = [mantissa.split(".")[1].slice(0, digits), mantissa.split(".")[0]];
  const down = `${whole}${digits ? "." : ""}${kept}${power && `e${power}`}`;
  return Number((kept || whole).at(-1)) % 2 ? text : down;
}

const exponent = (text) => text.replace(/e([+-])(\d)$/, "e$10$2");

function fixed(x, digits) {
  return x < 1e21 ? rounded(x, digits, "toFixed") : `${BigInt(x)}${digits ? `.${"0".repeat(digits)}` : ""}`;
}

function general(x, digits) {
  const short = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  const [mantissa, power] = rounded(x, Math.max(1, digits) - 1, "toExponential").split("e");
  if (Number(power) < -4 || Number(power) >= Math.max(1, digits)) return exponent(`${short(mantissa)}e${power}`);
  return short(fixed(x, Math.max(1, digits) - 1 - Number(power)));
}

// The shortest text that is the number.
function shortest(x) {
  const [mantissa, power] = x.toExponential().split("e");
  if (x !== 0 && (power < -4 || power >= 16)) return exponent(`${mantissa}e${power}`);
  const text = x.toFixed(Math.max(0, mantissa.replace(".", "").length - 1 - power));
  return text.includes(".") ? text : `${text}.0`;
}

function written(x, form) {
  const [, fill, align, sign = "-", zero, width = 0, digits, type = ""] = form.match(FORMAT);
  const size = Math.abs(x);
  const many = digits === undefined ? 6 : Number(digits);
  const kinds = {
    f: () => fixed(size, many),
    e: () => exponent(rounded(size, many, "toExponential")),
    g: () => general(size, many),
    "%": () => `${fixed(100 * size, many)}%`,
    "": () => shortest(size),
  };
  let text;
  if (Number.isFinite(x)) text = kinds[type.toLowerCase()]();
  else text = (Number.isNaN(x) ? "nan" : "inf") + (type === "%" ? "%" : "");
  if (type !== type.toLowerCase()) text = text.toUpperCase();
  const negative = x < 0 || Object.is(x, -0);
  const before = negative ? "-" : sign === "-" ? "" : sign;
  const missing = Number(width) - before.length - text.length;
  if (missing <= 0) return before + text;
  const [padding, side] = [fill ?? (zero ? "0" : " "), align ?? (zero ? "=" : ">")];
  const left = { "<": 0, ">": missing, "=": missing, "^": Math.floor(missing / 2) }[side];
  const [pad, end] = [padding.repeat(left), padding.repeat(missing - left)];
  return side === "=" ? before + pad + text : pad + before + text + end;
}
