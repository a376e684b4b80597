/** A soft cap: nearly the number itself where it is small, and never larger than the cap. */

import { mapped } from "../engine/tensor";
import { figure, inLatex } from "./figures";
import { made, type Operation } from "./operation";

interface Settings {
  cap: number;
}

/** `cap · tanh(x / cap)`. */
export const softCap: Operation<Settings> = {
  forward: ([x], _, { cap }) => made(mapped(x, (number) => cap * Math.tanh(number / cap))),

  explain(seen, cell, { cap }) {
    const x = seen.input(0);
    const said = figure(cap);
    const tex = inLatex(said);
    return {
      operands: [x.at("x", ...cell)],
      formula: `${said} · tanh(${x.say(...cell)} / ${said})`,
      latex: `${tex} \\cdot \\tanh(${x.tex(...cell)} / ${tex})`,
      substituted: `${said} × tanh(${figure(x.value(...cell))} / ${said})`,
      summands: [],
      rule: (x) => cap * Math.tanh(x[0] / cap),
      rounding: cap + Math.abs(x.value(...cell)),
    };
  },
};
