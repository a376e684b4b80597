/** Softmax: scores turned into shares. */

import { upTo, workedOut } from "./slope";
import { width, zeros } from "../engine/tensor";
import { asText, type Evidence } from "./evidence";
import { andMore, bracketed, figure, largestOf } from "./figures";
import { made, type Operation } from "./operation";
import { ALL, type Derivation, reach, total } from "./term";

/** `exp(x - max) / sum`, along the last dim; `max` and `sum` are kept. */
export const softmax: Operation = {
  forward([x]) {
    const length = width(x);
    const out = zeros(x.shape);
    const [largest, sums] = [zeros(x.shape.slice(0, -1)), zeros(x.shape.slice(0, -1))];
    for (let row = 0; row < largest.data.length; row++) {
      const numbers = x.data.subarray(row * length, (row + 1) * length);
      const top = numbers.reduce((a, b) => (Number.isNaN(a) || a > b ? a : b), -Infinity);
      const powers = Float64Array.from(numbers, (number) => Math.exp(number - top));
      const sum = total(powers);
      largest.data[row] = top;
      sums.data[row] = sum;
      powers.forEach((power, j) => (out.data[row * length + j] = power / sum));
    }
    return made(out, largest, sums);
  },

  explain(seen, cell, _, extra) {
    if (extra === "max") return explainMax(seen, cell);
    if (extra === "sum") return explainSum(seen, cell);
    const row = cell.slice(0, -1);
    const [x, largest, sums] = [seen.input(0), seen.extra("max"), seen.extra("sum")];
    const [at, top, sum] = [x.value(...cell), largest.value(...row), sums.value(...row)];
    const above = `\\exp(${x.tex(...cell)} - ${largest.tex(...row)})`;
    return {
      operands: [x.at("x", ...cell), largest.at("max", ...row), sums.at("sum", ...row)],
      formula: `exp(${x.say(...cell)} − ${largest.say(...row)}) / ${sums.say(...row)}`,
      latex: `\\frac{${above}}{${sums.tex(...row)}}`,
      substituted: `exp(${figure(at)} − ${bracketed(top)}) / ${figure(sum)}`,
      summands: [],
      rule: (x, m, s) => Math.exp(x[0] - m[0]) / s[0],
      rounding: ((1 + reach([at, top])) * Math.exp(at - top)) / sum,
    };
  },

  slope(seen, _, cell) {
    const [row, k] = [cell.slice(0, -1), cell[cell.length - 1]];
    const out = seen.output;
    const shares = out.at("share", ...row, ALL).values;
    const own = shares[k];
    return {
      index: [...row, upTo(shares.length)],
      via: workedOut(shares.map((share, i) => share * (Number(i === k) - own))),
      formula: () => `${out.say(...row, ALL)} · (${out.oneAt(k)} − ${out.say(...cell)})`,
      latex: () =>
        `${out.tex(...row, ALL)} \\left(${asText(out.oneAt(k))} - ${out.tex(...cell)}\\right)`,
      sizes: shares.map((share, i) => share * (Number(i === k) + own)),
    };
  },
};

/** The largest of a row. */
function explainMax(seen: Evidence, cell: readonly number[]): Derivation {
  const x = seen.input(0);
  const row = x.at("x", ...cell, ALL);
  const largest = (numbers: Float64Array) => numbers.reduce((a, b) => Math.max(a, b), -Infinity);
  return {
    operands: [row],
    formula: `max ${x.say(...cell, ALL)}`,
    latex: `\\max ${x.tex(...cell, ALL)}`,
    substituted: `max(${andMore(largestOf(row.values), row.values.length).join(", ")})`,
    summands: [],
    rule: largest,
    weights: (x) => x.map((number) => (number === largest(x) ? number : 0)),
    rounding: 0,
  };
}

/** exp of each number of a row less the largest, added up. */
function explainSum(seen: Evidence, cell: readonly number[]): Derivation {
  const [x, largest] = [seen.input(0), seen.extra("max")];
  const [row, top] = [x.at("x", ...cell, ALL), largest.at("max", ...cell)];
  const peak = bracketed(top.values[0]);
  const shown = largestOf(row.values).map((number) => `exp(${number} − ${peak})`);
  const powers = (x: Float64Array, m: Float64Array) => x.map((number) => Math.exp(number - m[0]));
  return {
    operands: [row, top],
    formula: `Σ exp(${x.say(...cell, ALL)} − ${largest.say(...cell)})`,
    latex: `\\sum \\exp(${x.tex(...cell, ALL)} - ${largest.tex(...cell)})`,
    substituted: andMore(shown, row.values.length).join(" + "),
    summands: [],
    rule: (x, m) => total(powers(x, m)),
    weights: powers,
    rounding: (1 + reach(row.values)) * seen.extra("sum").value(...cell),
  };
}
