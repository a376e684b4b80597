/** A soft cap: nearly the number itself where it is small, and never larger than the cap. */

import { workedOut } from "./slope";
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

  slope(seen, _, cell, { cap }) {
    const out = seen.output;
    return {
      index: cell,
      via: workedOut(Float64Array.of(1 - (out.value(...cell) / cap) ** 2)),
      formula: () => `1 − (${out.say(...cell)} / ${figure(cap)})²`,
      latex: () => `1 - (${out.tex(...cell)} / ${inLatex(figure(cap))})^2`,
      sizes: Float64Array.of(1),
    };
  },
};
