/** Heads: a position's vector cut into pieces, remembered, and laid side by side again. */

import { unchanged } from "./slope";
import { zeros } from "../engine/tensor";
import { copied } from "./evidence";
import { made, type Operation } from "./operation";

interface Settings {
  n_head: number;
}

/** `[position, head · d_head]` to `[head, position, d_head]`. */
export const splitHeads: Operation<Settings> = {
  forward([x], _, { n_head }) {
    const [positions, columns] = x.shape;
    const width = columns / n_head;
    const out = zeros([n_head, positions, width]);
    for (let h = 0; h < n_head; h++) {
      for (let t = 0; t < positions; t++) {
        const from = t * columns + h * width;
        out.data.set(x.data.subarray(from, from + width), (h * positions + t) * width);
      }
    }
    return made(out);
  },

  explain(seen, [head, position, d], { n_head }) {
    const x = seen.input(0);
    const column = head * (x.length(-1) / n_head) + d;
    return copied(x, [position, column], `, head ${head} of ${n_head}`);
  },

  slope(seen, _, [position, column], { n_head }) {
    const width = seen.input(0).length(-1) / n_head;
    return unchanged(Math.floor(column / width), position, column % width);
  },
};

/** The inverse: `[head, position, d_head]` to `[position, head · d_head]`. */
export const mergeHeads: Operation<Settings> = {
  forward([z]) {
    const [heads, positions, width] = z.shape;
    const out = zeros([positions, heads * width]);
    for (let h = 0; h < heads; h++) {
      for (let t = 0; t < positions; t++) {
        const from = (h * positions + t) * width;
        out.data.set(z.data.subarray(from, from + width), (t * heads + h) * width);
      }
    }
    return made(out);
  },

  explain(seen, [position, column], { n_head }) {
    const z = seen.input(0);
    const head = Math.floor(column / z.length(-1));
    return copied(z, [head, position, column % z.length(-1)], `, head ${head} of ${n_head}`);
  },

  slope: (seen, _, [head, position, d]) => unchanged(position, head * seen.input(0).length(-1) + d),
};

/** Every key (or value) so far: the same numbers, where `position` becomes `key`. */
export const remember: Operation = {
  forward: ([x]) => made(x),
  explain: (seen, cell) => copied(seen.input(0), cell, ""),

  slope: (_, __, cell) => unchanged(...cell),
};
