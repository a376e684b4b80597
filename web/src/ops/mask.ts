/** The mask: which scores a query may look at. */

import { still, unchanged } from "./slope";
import { zeros } from "../engine/tensor";
import { copied } from "./evidence";
import { made, type Operation } from "./operation";

interface Settings {
  /** How many keys a query sees, its own the last; all before it unless given. */
  window: number | null;
}

/** Keeps a score where the key is not later than the query, and within the window; else −∞. */
export const causalMask: Operation<Settings> = {
  forward([scores, positions], _, settings) {
    const [heads, queries, keys] = scores.shape;
    const out = zeros(scores.shape);
    for (let h = 0, i = 0; h < heads; h++) {
      for (let query = 0; query < queries; query++) {
        for (let key = 0; key < keys; key++, i++) {
          // Chosen, not added to: a NaN in the future must not get through.
          out.data[i] = sees(positions.data[query], key, settings) ? scores.data[i] : -Infinity;
        }
      }
    }
    return made(out);
  },

  explain(seen, cell, settings) {
    const [, query, key] = cell;
    const scores = seen.input(0);
    const position = seen.input(1).value(query);
    if (sees(position, key, settings)) return copied(scores, cell, "");
    const [later, here] = [scores.word("key", key), scores.word("query", query)];
    const formula =
      key > position
        ? `the future: −∞, as ${later} comes after ${here}`
        : `out of sight: −∞, as ${later} is ${settings.window} or more before ${here}`;
    return {
      operands: [],
      formula,
      latex: "-\\infty",
      substituted: "−∞",
      summands: [],
      rule: () => -Infinity,
      rounding: 0,
    };
  },

  slope(seen, _, cell, settings) {
    const [, query, key] = cell;
    const position = seen.input(1).value(query);
    if (sees(position, key, settings)) return unchanged(...cell);
    const shut = key > position ? "the future" : "what is before the window";
    return still(cell, `0: ${shut} is shut out`);
  },
};

function sees(position: number, key: number, { window }: Settings): boolean {
  return key <= position && (window === null || key > position - window);
}
