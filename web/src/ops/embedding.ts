/** Looking a row up in a table, by token id or by position. */

import { unchanged, upTo } from "./slope";
import { width, zeros } from "../engine/tensor";
import { figure } from "./figures";
import { made, type Operation } from "./operation";
import { summand } from "./term";

/** `out[t, j] = table[index[t], j]`. */
export const embedding: Operation = {
  forward([index], [table]) {
    const length = width(table);
    const out = zeros([...index.shape, length]);
    index.data.forEach((row, t) => {
      out.data.set(table.data.subarray(row * length, (row + 1) * length), t * length);
    });
    return made(out);
  },

  explain(seen, [place, column]) {
    const [index, table] = [seen.input(0), seen.parameter(0)];
    const row = index.value(place);
    return {
      operands: [table.at("row", row, column), index.at("index", place)],
      formula: table.say(row, column),
      latex: table.tex(row, column),
      substituted: figure(table.value(row, column)),
      summands: [summand([0])],
    };
  },

  slope(seen, _, [row, column]) {
    const ids = seen.input(0).tensor.data;
    return unchanged(
      upTo(ids.length).filter((place) => ids[place] === row),
      column,
    );
  },
};
