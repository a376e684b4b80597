/** Layer norm: every vector centred, and divided by its deviation. */

import { width, zeros } from "../engine/tensor";
import type { Evidence } from "./evidence";
import { bracketed, figure, inLatex, sumOfProducts } from "./figures";
import { explainGained, gained, gainMoved, gainSlope, type NormSettings, normSlope } from "./norm";
import { byRow, inRows, made, type Operation, type Parts } from "./operation";
import { INSIDE } from "./inside";
import { upTo } from "./slope";
import { ALL, type Derivation, reach, summand, total } from "./term";

const parts: Parts<NormSettings> = {
  inside: INSIDE.layer_norm,

  make(part, [x, mean, rstd], parameters, settings) {
    if (part === "") return gained(x, parameters, settings);
    if (part === "mean") return byRow(x, (row) => total(row) / row.length);
    if (part === "normalized") {
      return inRows(x, (number, row) => (number - mean.data[row]) * rstd.data[row]);
    }
    return byRow(x, (row, i) => {
      const squares = row.map((number) => (number - mean.data[i]) ** 2);
      return 1 / Math.sqrt(total(squares) / row.length + settings.epsilon);
    });
  },

  moved(part, read, seen, cell, settings) {
    if (part === "") return gainMoved(seen, cell, settings);
    const x = seen.input(0);
    const row = read === "input 0" ? cell.slice(0, -1) : cell;
    const width = x.length(-1);
    if (part === "mean") return { index: row, values: Float64Array.of(1 / width) };
    const middle = seen.extra("mean").value(...row);
    const scale = part === "rstd" ? seen.output.value(...row) : seen.extra("rstd").value(...row);
    const left = x.at("x", ...row, ALL).values.map((number) => number - middle);
    if (part === "rstd") {
      const to = read === "mean" ? -total(left) : left[cell[cell.length - 1]];
      return { index: row, values: Float64Array.of((scale ** 3 / -width) * to) };
    }
    if (read === "input 0") return { index: cell, values: Float64Array.of(scale) };
    const values = read === "rstd" ? left : left.fill(-scale);
    return { index: [...row, upTo(width)], values };
  },
};

/** `normalized = (x - mean) · rstd`, `out = normalized · gamma + beta`, over the last dim. */
export const layerNorm: Operation<NormSettings> = {
  // Not by its parts: so nothing is rounded between them.
  forward([x], parameters, settings) {
    const length = width(x);
    const rows = x.shape.slice(0, -1);
    const [mean, rstd, normalized] = [zeros(rows), zeros(rows), zeros(x.shape)];
    for (let row = 0; row < mean.data.length; row++) {
      const numbers = Float64Array.from(x.data.subarray(row * length, (row + 1) * length));
      const middle = total(numbers) / length;
      const left = numbers.map((number) => number - middle);
      const scale = 1 / Math.sqrt(total(left.map((n) => n * n)) / length + settings.epsilon);
      mean.data[row] = middle;
      rstd.data[row] = scale;
      left.forEach((number, j) => (normalized.data[row * length + j] = number * scale));
    }
    return made(gained(normalized, parameters, settings), mean, rstd, normalized);
  },

  parts,

  explain(seen, cell, settings, extra) {
    if (extra === "mean") return explainMean(seen, cell);
    if (extra === "rstd") return explainRstd(seen, cell, settings.epsilon);
    if (extra === "normalized") return explainNormalized(seen, cell);
    return explainGained(seen, cell, settings);
  },

  slope: (seen, operand, cell, settings) =>
    operand === "input 0"
      ? normSlope(seen, cell, settings, "rstd", true)
      : gainSlope(seen, operand, cell, settings),
};

/** A row's numbers, added up and divided by how many they are. */
function explainMean(seen: Evidence, cell: readonly number[]): Derivation {
  const x = seen.input(0);
  const row = x.at("x", ...cell, ALL);
  const count = row.values.length;
  return {
    operands: [row],
    formula: `Σ ${x.say(...cell, ALL)} / ${count}`,
    latex: `\\frac{1}{${count}} \\sum ${x.tex(...cell, ALL)}`,
    substituted: `(${sumOfProducts([row.values])}) / ${count}`,
    summands: [summand([0], 1 / count)],
  };
}

/** One over the root of the mean square of what is left without the mean. */
function explainRstd(seen: Evidence, cell: readonly number[], epsilon: number): Derivation {
  const [x, mean] = [seen.input(0), seen.extra("mean")];
  const [row, middle] = [x.at("x", ...cell, ALL), mean.at("mean", ...cell)];
  const count = row.values.length;
  const left = row.values.map((number) => number - middle.values[0]);
  const small = figure(epsilon);
  const squares = (x: Float64Array, m: Float64Array) => x.map((n) => (n - m[0]) ** 2);
  return {
    operands: [row, middle],
    formula: `1 / √(Σ (${x.say(...cell, ALL)} − ${mean.say(...cell)})² / ${count} + ${small})`,
    latex:
      `\\left(\\frac{1}{${count}} \\sum (${x.tex(...cell, ALL)} - ${mean.tex(...cell)})^2` +
      ` + ${inLatex(small)}\\right)^{-1/2}`,
    substituted: `1 / √((${sumOfProducts([left, left])}) / ${count} + ${small})`,
    summands: [],
    rule: (x, m) => 1 / Math.sqrt(total(squares(x, m)) / count + epsilon),
    weights: (x, m) => squares(x, m).map((square) => square / count),
    rounding: seen.extra("rstd").value(...cell) * (1 + reach(row.values)),
  };
}

/** What is left without the mean, in units of the deviation. */
function explainNormalized(seen: Evidence, cell: readonly number[]): Derivation {
  const [x, mean, rstd] = [seen.input(0), seen.extra("mean"), seen.extra("rstd")];
  const row = cell.slice(0, -1);
  const [at, middle, scale] = [x.value(...cell), mean.value(...row), rstd.value(...row)];
  return {
    operands: [x.at("x", ...cell), mean.at("mean", ...row), rstd.at("rstd", ...row)],
    formula: `(${x.say(...cell)} − ${mean.say(...row)}) · ${rstd.say(...row)}`,
    latex: `(${x.tex(...cell)} - ${mean.tex(...row)}) \\cdot ${rstd.tex(...row)}`,
    substituted: `(${figure(at)} − ${bracketed(middle)}) × ${figure(scale)}`,
    summands: [],
    rule: (x, m, r) => (x[0] - m[0]) * r[0],
    rounding: (Math.abs(at) + Math.abs(middle)) * scale,
  };
}
