/** A tensor times one number. */

import { constants } from "./slope";
import { mapped } from "../engine/tensor";
import { bracketed, figure, inLatex } from "./figures";
import { made, type Operation } from "./operation";
import { summand } from "./term";

interface Settings {
  factor: number;
}

/** `x · factor`. */
export const scale: Operation<Settings> = {
  forward: ([x], _, { factor }) => made(mapped(x, (number) => number * factor)),

  explain(seen, cell, { factor }) {
    const x = seen.input(0);
    const said = figure(factor);
    return {
      operands: [x.at("x", ...cell)],
      formula: `${x.say(...cell)} · ${said}`,
      latex: `${x.tex(...cell)} \\cdot ${inLatex(said)}`,
      substituted: `${bracketed(x.value(...cell))} × ${said}`,
      summands: [summand([0], factor)],
    };
  },

  slope: (_, __, cell, { factor }) => ({
    ...{ index: cell, via: constants(factor) },
    ...{ formula: () => figure(factor), latex: () => inLatex(figure(factor)) },
  }),
};
