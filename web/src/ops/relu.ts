/** Rectified numbers: nothing below 0. */

import { mapped } from "../engine/tensor";
import type { Seen } from "./evidence";
import { figure } from "./figures";
import { made, type Operation } from "./operation";
import { workedOut } from "./slope";
import type { Derivation } from "./term";

/** `max(x, 0)`. */
export const relu: Operation = {
  forward: ([x]) => made(mapped(x, positive)),
  explain: (seen, cell) => explained(seen.input(0), cell, 1),

  slope(seen, _, cell) {
    const x = seen.input(0);
    const passes = Number(x.value(...cell) > 0);
    return {
      index: cell,
      via: workedOut(Float64Array.of(passes)),
      formula: () => `${passes}, as ${x.say(...cell)} ${passes ? ">" : "≤"} 0`,
      latex: () => `[${x.tex(...cell)} > 0]`,
    };
  },
};

/** `max(x, 0)²`. */
export const reluSquared: Operation = {
  forward: ([x]) => made(mapped(x, (number) => positive(number) ** 2)),
  explain: (seen, cell) => explained(seen.input(0), cell, 2),

  slope(seen, _, cell) {
    const x = seen.input(0);
    return {
      index: cell,
      via: workedOut(Float64Array.of(2 * positive(x.value(...cell)))),
      formula: () => `2 · max(${x.say(...cell)}, 0)`,
      latex: () => `2 \\max(${x.tex(...cell)},\\, 0)`,
    };
  },
};

/** A positive part to the first or the second power. */
function explained(x: Seen, cell: readonly number[], power: 1 | 2): Derivation {
  const value = x.value(...cell);
  const [mark, tex] = power === 1 ? ["", ""] : ["²", "^2"];
  return {
    operands: [x.at("x", ...cell)],
    formula: `max(${x.say(...cell)}, 0)${mark}`,
    latex: `\\max(${x.tex(...cell)},\\, 0)${tex}`,
    substituted: `max(${figure(value)}, 0)${mark}`,
    summands: [],
    rule: (x) => positive(x[0]) ** power,
    rounding: Math.abs(value) ** power,
  };
}

/** NaN stays NaN. */
function positive(number: number): number {
  return number < 0 ? 0 : number;
}
