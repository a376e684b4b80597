/** How a number reads in a formula, in plain text and in LaTeX; as in pellucid/ops/figures.py. */

/** Up to so many digits, to tell a number from a whole one beside it. */
const MOST_DIGITS = 8;
/** How many products of a sum are written out. */
const SHOWN = 3;

const PIECE =
  /(?<mantissa>\d[\d.]*)e(?<exponent>[+−-]?\d+)|√(?<root>\d+)|(?<word>\s?[\p{L}\p{Nl}\p{No}]+)|(?<sign>[^\p{L}\p{N}_])/gu;
const SIGNS: Readonly<Record<string, string>> = {
  "×": "\\cdot",
  "−": "-",
  "∞": "\\infty",
  "√": "\\surd",
  "…": "\\dots\\,",
  "%": "\\%",
};
const WORDS: Readonly<Record<string, string>> = {
  exp: "\\exp",
  log: "\\log",
  max: "\\max",
  sin: "\\sin",
  cos: "\\cos",
  Φ: "\\Phi",
};

/**
 * So many significant digits; −∞, ∞ and NaN by their signs.
 *
 * A number that is not whole never looks like one: 1.0002 keeps the digits that tell it from 1.
 */
export function figure(value: number, digits = 4): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  let text = general(value, digits);
  for (let more = digits + 1; more <= MOST_DIGITS; more++) {
    if (value === roundEven(value) || Number(text) !== roundEven(value)) break;
    text = general(value, more);
  }
  return text.replaceAll("-", "−");
}

/** The same, in brackets where it is negative: a factor. */
export function bracketed(value: number, digits = 4): string {
  const text = figure(value, digits);
  return value < 0 ? `(${text})` : text;
}

/** `1.9 × 1.6 + 1.2 × 0.9 + … 6 more`: the largest products first, then single numbers. */
export function sumOfProducts(
  factors: readonly ArrayLike<number>[],
  extra: readonly number[] = [],
): string {
  const count = factors[0].length;
  const products = Float64Array.from({ length: count }, (_, i) =>
    factors.reduce((product, factor) => product * factor[i], 1),
  );
  const order = largestFirst(products);
  const shown = order.slice(0, SHOWN).map((i) => factors.map((f) => bracketed(f[i])).join(" × "));
  return [...andMore(shown, count), ...extra.map((number) => bracketed(number))].join(" + ");
}

/** The largest few numbers, the largest first. */
export function largestOf(numbers: ArrayLike<number>): string[] {
  return Float64Array.from(numbers)
    .sort()
    .reverse()
    .slice(0, SHOWN)
    .reduce<string[]>((said, number) => [...said, figure(number)], []);
}

/** What is written out, and how many of the `total` are not. */
export function andMore(shown: readonly string[], total: number): string[] {
  const more = total - shown.length;
  return more > 0 ? [...shown, `… ${more.toLocaleString("en-US")} more`] : [...shown];
}

/** The places of numbers, those of the largest sizes first; equals in order, NaN last. */
export function largestFirst(numbers: ArrayLike<number>): number[] {
  const sizes = Float64Array.from(numbers, (n) => (Number.isNaN(n) ? -1 : Math.abs(n)));
  return Array.from(sizes, (_, i) => i).sort((a, b) => sizes[b] - sizes[a] || a - b);
}

/** A formula of numbers, as the functions above write them, in LaTeX. */
export function inLatex(numbers: string): string {
  return numbers.replace(PIECE, (...found) => {
    const piece = found[found.length - 1] as Record<string, string | undefined>;
    if (piece["mantissa"] !== undefined) {
      const exponent = Number(piece["exponent"]!.replace("−", "-"));
      return `${piece["mantissa"]} \\cdot 10^{${exponent}}`;
    }
    if (piece["root"] !== undefined) return `\\sqrt{${piece["root"]}}`;
    if (piece["word"] !== undefined) return WORDS[piece["word"]] ?? `\\text{${piece["word"]}}`;
    return SIGNS[piece["sign"]!] ?? piece["sign"]!;
  });
}

/** The format `%.{digits}g` of C and Python. */
function general(value: number, digits: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [mantissa, power] = scientific(value, digits);
  if (power < -4 || power >= digits) {
    const size = String(Math.abs(power)).padStart(2, "0");
    return `${trimmed(mantissa)}e${power < 0 ? "-" : "+"}${size}`;
  }
  return trimmed(Number(`${mantissa}e${power}`).toFixed(Math.max(digits - 1 - power, 0)));
}

/** Mantissa and power of ten, rounded to even where two are equally near, as C and Python do. */
function scientific(value: number, digits: number): [string, number] {
  const exact = value.toExponential(60);
  const [whole] = exact.split("e");
  const sign = whole.startsWith("-") ? 1 : 0;
  // One more for the point; a single digit has none.
  const cut = sign + digits + (digits > 1 ? 1 : 0);
  const isTie = /^\.?50*$/.test(whole.slice(cut));
  if (isTie && Number(whole[cut - 1]) % 2 === 0) {
    const [, power] = exact.split("e");
    return [whole.slice(0, cut), Number(power)];
  }
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  return [mantissa, Number(power)];
}

/** Without zeros at the end of a fraction. */
function trimmed(number: string): string {
  return number.includes(".") ? number.replace(/\.?0+$/, "") : number;
}

/** The nearest whole number; the even one of two. */
function roundEven(value: number): number {
  const low = Math.floor(value);
  if (value - low !== 0.5) return Math.round(value);
  return low % 2 === 0 ? low : low + 1;
}
