/** Rectified numbers: nothing below 0. */

import { mapped } from "../engine/tensor";
import type { Seen } from "./evidence";
import { figure } from "./figures";
import { made, type Operation } from "./operation";
import type { Derivation } from "./term";

/** `max(x, 0)`. */
export const relu: Operation = {
  forward: ([x]) => made(mapped(x, positive)),
  explain: (seen, cell) => explained(seen.input(0), cell, 1),
};

/** `max(x, 0)²`. */
export const reluSquared: Operation = {
  forward: ([x]) => made(mapped(x, (number) => positive(number) ** 2)),
  explain: (seen, cell) => explained(seen.input(0), cell, 2),
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
