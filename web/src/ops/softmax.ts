/** Softmax: scores turned into shares. */

import { upTo, workedOut } from "./slope";
import { asText, type Evidence } from "./evidence";
import { andMore, bracketed, figure, largestOf } from "./figures";
import { byRow, inRows, inTurn, type Operation, type Parts } from "./operation";
import { INSIDE } from "./inside";
import { ALL, type Derivation, reach, total } from "./term";

const parts: Parts = {
  inside: INSIDE.softmax,

  make(part, [x, largest, sums]) {
    if (part === "max") return byRow(x, largestIn);
    const power = (number: number, row: number) => Math.exp(number - largest.data[row]);
    if (part === "sum") return byRow(x, (row, i) => total(row.map((number) => power(number, i))));
    return inRows(x, (number, row) => power(number, row) / sums.data[row]);
  },

  moved(part, read, seen, cell) {
    const [x, out] = [seen.input(0), seen.output];
    const row = read === "input 0" ? cell.slice(0, -1) : cell;
    if (part === "max") {
      // Of several largest each has its share.
      const top = out.value(...row);
      const many = x.at("x", ...row, ALL).values.filter((number) => number === top).length;
      return { index: row, values: Float64Array.of(x.value(...cell) === top ? 1 / many : 0) };
    }
    if (part === "sum") {
      const power = () => Math.exp(x.value(...cell) - seen.extra("max").value(...row));
      const slope = read === "input 0" ? power() : -out.value(...row);
      return { index: row, values: Float64Array.of(slope) };
    }
    if (read === "input 0") return { index: cell, values: Float64Array.of(out.value(...cell)) };
    const divisor = read === "sum" ? seen.extra("sum").value(...row) : 1;
    const values = out.at("share", ...row, ALL).values.map((share) => -share / divisor);
    return { index: [...row, upTo(values.length)], values };
  },
};

/** The largest number of a row; NaN where there is one. */
function largestIn(row: Float64Array): number {
  return row.reduce((a, b) => (Number.isNaN(a) || a > b ? a : b), -Infinity);
}

/** `exp(x - max) / sum`, along the last dim; `max` and `sum` are kept. */
export const softmax: Operation = {
  forward: inTurn(parts),
  parts,

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
