/** The residual stream: what is added to it. */

import { unchanged } from "./slope";
import { joined } from "../engine/tensor";
import { bracketed } from "./figures";
import { made, type Operation } from "./operation";
import { summand } from "./term";

/** `a + b`, cell by cell. */
export const add: Operation = {
  forward: ([a, b]) => made(joined(a, b, (x, y) => x + y)),

  explain(seen, cell) {
    const [a, b] = [seen.input(0), seen.input(1)];
    const operands = [a.at("a", ...cell), b.at("b", ...cell)];
    return {
      operands,
      formula: `${a.say(...cell)} + ${b.say(...cell)}`,
      latex: `${a.tex(...cell)} + ${b.tex(...cell)}`,
      substituted: operands.map((each) => bracketed(each.values[0])).join(" + "),
      summands: [summand([0]), summand([1])],
    };
  },

  slope: (_, __, cell) => unchanged(...cell),
};
