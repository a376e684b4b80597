/** RMS norm: every vector divided by its root mean square. */

import { width, zeros } from "../engine/tensor";
import type { Evidence } from "./evidence";
import { figure, inLatex, sumOfProducts } from "./figures";
import { explainGained, gained, gainMoved, gainSlope, type NormSettings, normSlope } from "./norm";
import { byRow, inRows, made, type Operation, type Parts } from "./operation";
import { INSIDE } from "./inside";
import { upTo } from "./slope";
import { ALL, type Derivation, summand, total } from "./term";

const parts: Parts<NormSettings> = {
  inside: INSIDE.rms_norm,

  make(part, [x, rrms], parameters, settings) {
    if (part === "") return gained(x, parameters, settings);
    if (part === "normalized") return inRows(x, (number, row) => number * rrms.data[row]);
    return byRow(x, (row) => {
      const squares = row.map((number) => number * number);
      return 1 / Math.sqrt(total(squares) / row.length + settings.epsilon);
    });
  },

  moved(part, read, seen, cell, settings) {
    if (part === "") return gainMoved(seen, cell, settings);
    const x = seen.input(0);
    if (part === "rrms") {
      const row = cell.slice(0, -1);
      const slope = seen.output.value(...row) ** 3 / -x.length(-1);
      return { index: row, values: Float64Array.of(slope * x.value(...cell)) };
    }
    if (read === "input 0") {
      const scale = seen.extra("rrms").value(...cell.slice(0, -1));
      return { index: cell, values: Float64Array.of(scale) };
    }
    return { index: [...cell, upTo(x.length(-1))], values: x.at("x", ...cell, ALL).values };
  },
};

/** `normalized = x · rrms`, `out = normalized · gamma`, over the last dim. */
export const rmsNorm: Operation<NormSettings> = {
  // Not by its parts: so nothing is rounded between them.
  forward([x], parameters, settings) {
    const length = width(x);
    const [rrms, normalized] = [zeros(x.shape.slice(0, -1)), zeros(x.shape)];
    for (let row = 0; row < rrms.data.length; row++) {
      const numbers = Float64Array.from(x.data.subarray(row * length, (row + 1) * length));
      const scale = 1 / Math.sqrt(total(numbers.map((n) => n * n)) / length + settings.epsilon);
      rrms.data[row] = scale;
      numbers.forEach((number, j) => (normalized.data[row * length + j] = number * scale));
    }
    return made(gained(normalized, parameters, settings), rrms, normalized);
  },

  parts,

  explain(seen, cell, settings, extra) {
    if (extra === "rrms") return explainRrms(seen, cell, settings.epsilon);
    if (extra === "normalized") return explainNormalized(seen, cell);
    return explainGained(seen, cell, settings);
  },

  slope: (seen, operand, cell, settings) =>
    operand === "input 0"
      ? normSlope(seen, cell, settings, "rrms", false)
      : gainSlope(seen, operand, cell, settings),
};

/** One over the root of the mean square. */
function explainRrms(seen: Evidence, cell: readonly number[], epsilon: number): Derivation {
  const x = seen.input(0);
  const row = x.at("x", ...cell, ALL);
  const count = row.values.length;
  const small = figure(epsilon);
  const squares = (x: Float64Array) => x.map((number) => number * number);
  return {
    operands: [row],
    formula: `1 / √(Σ ${x.say(...cell, ALL)}² / ${count} + ${small})`,
    latex:
      `\\left(\\frac{1}{${count}} \\sum {${x.tex(...cell, ALL)}}^2` +
      ` + ${inLatex(small)}\\right)^{-1/2}`,
    substituted: `1 / √((${sumOfProducts([row.values, row.values])}) / ${count} + ${small})`,
    summands: [],
    rule: (x) => 1 / Math.sqrt(total(squares(x)) / count + epsilon),
    weights: (x) => squares(x).map((square) => square / count),
    rounding: seen.extra("rrms").value(...cell),
  };
}

/** A number in units of the root mean square. */
function explainNormalized(seen: Evidence, cell: readonly number[]): Derivation {
  const [x, rrms] = [seen.input(0), seen.extra("rrms")];
  const row = cell.slice(0, -1);
  const operands = [x.at("x", ...cell), rrms.at("rrms", ...row)];
  return {
    operands,
    formula: `${x.say(...cell)} · ${rrms.say(...row)}`,
    latex: `${x.tex(...cell)} \\cdot ${rrms.tex(...row)}`,
    substituted: sumOfProducts(operands.map((each) => each.values)),
    summands: [summand([0, 1])],
  };
}
