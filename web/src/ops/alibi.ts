/** ALiBi: scores lowered in proportion to how far back a key is. */

import { unchanged } from "./slope";
import { zeros } from "../engine/tensor";
import { bracketed, figure, inLatex } from "./figures";
import { made, type Operation } from "./operation";

interface Settings {
  /** Of each head. */
  slopes: number[];
}

/** `scores[h, i, j] - slope[h] · (position[i] - j)`. */
export const alibi: Operation<Settings> = {
  forward([scores, positions], _, { slopes }) {
    const [heads, queries, keys] = scores.shape;
    const out = zeros(scores.shape);
    for (let h = 0, i = 0; h < heads; h++) {
      for (let query = 0; query < queries; query++) {
        for (let key = 0; key < keys; key++, i++) {
          const lowered = Math.fround(slopes[h] * (positions.data[query] - key));
          out.data[i] = scores.data[i] - lowered;
        }
      }
    }
    return made(out);
  },

  explain(seen, cell, { slopes }) {
    const [head, query, key] = cell;
    const [scores, positions] = [seen.input(0), seen.input(1)];
    const slope = slopes[head];
    const [at, place] = [scores.value(...cell), positions.value(query)];
    const said = figure(slope);
    return {
      operands: [scores.at("score", ...cell), positions.at("position", query)],
      formula: `${scores.say(...cell)} − ${said} · (${positions.say(query)} − ${key})`,
      latex: `${scores.tex(...cell)} - ${inLatex(said)} \\cdot (${positions.tex(query)} - ${key})`,
      substituted: `${bracketed(at)} − ${said} × (${figure(place)} − ${key})`,
      summands: [],
      rule: (score, position) => score[0] - slope * (position[0] - key),
      weights: (score) => score,
      rounding: Math.abs(at) + slope * Math.abs(place - key),
    };
  },

  slope: (_, __, cell) => unchanged(...cell),
};
