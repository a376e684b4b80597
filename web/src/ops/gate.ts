/** Two tensors multiplied cell by cell: what a gate lets through. */

import { joined } from "../engine/tensor";
import { sumOfProducts } from "./figures";
import { made, type Operation } from "./operation";
import { summand } from "./term";

/** `opened · x`, cell by cell. */
export const gate: Operation = {
  forward: ([opened, x]) => made(joined(opened, x, (a, b) => a * b)),

  explain(seen, cell) {
    const [opened, x] = [seen.input(0), seen.input(1)];
    const operands = [opened.at("gate", ...cell), x.at("x", ...cell)];
    return {
      operands,
      formula: `${opened.say(...cell)} · ${x.say(...cell)}`,
      latex: `${opened.tex(...cell)} \\cdot ${x.tex(...cell)}`,
      substituted: sumOfProducts(operands.map((each) => each.values)),
      summands: [summand([0, 1])],
    };
  },

  slope(seen, operand, cell) {
    const other = seen.input(operand === "input 0" ? 1 : 0);
    const via = other.at("local derivative", ...cell);
    return {
      ...{ index: cell, via },
      ...{ formula: () => other.say(...cell), latex: () => other.tex(...cell) },
    };
  },
};
