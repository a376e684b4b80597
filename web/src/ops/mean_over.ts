/** Cells that become the mean of several. */

import { constants, unchanged } from "./slope";
import { at, zeros } from "../engine/tensor";
import { eachCell, holds, type Region } from "./change";
import { asText, copied } from "./evidence";
import { figure, sumOfProducts } from "./figures";
import { made, type Operation } from "./operation";
import { type Place, summand, total } from "./term";

export interface MeanOverSettings {
  region: Region;
  /** The dim, by its place, along which the mean is taken. */
  axis: number;
  words: string;
}

/** Each chosen cell becomes the mean of those that are chosen along one dim, its own among them. */
export const meanOver: Operation<MeanOverSettings> = {
  forward([x], _, settings) {
    const out = zeros(x.shape);
    eachCell(x.shape, (cell, i) => {
      if (!holds(settings.region, cell)) out.data[i] = x.data[i];
      else {
        const row = averaged(settings, x.shape).map((place) =>
          at(x, cell.with(settings.axis, place)),
        );
        out.data[i] = total(Float64Array.from(row)) / row.length;
      }
    });
    return made(out);
  },

  explain(seen, cell, settings) {
    const x = seen.input(0);
    if (!holds(settings.region, cell)) return copied(x, cell, ", not edited here");
    const along: Place = averaged(settings, x.tensor.shape);
    const row = x.at("averaged", ...(cell as Place[]).with(settings.axis, along));
    const count = row.values.length;
    const now = Math.fround(total(row.values) / count);
    const was = figure(x.value(...cell));
    const said = `edited here: was ${was}, ${settings.words} made it ${figure(now)}`;
    return {
      operands: [row],
      formula: said,
      latex: asText(said),
      substituted: `(${sumOfProducts([row.values])}) / ${count}`,
      summands: [summand([0], 1 / count)],
    };
  },

  slope(seen, _, cell, settings) {
    if (!holds(settings.region, cell)) return unchanged(...cell);
    const places = averaged(settings, seen.input(0).tensor.shape);
    const n = places.length;
    return {
      index: (cell as Place[]).with(settings.axis, places),
      via: constants(1 / n, n),
      formula: () => `1 / ${n}`,
      latex: () => `\\frac{1}{${n}}`,
    };
  },
};

/** The places along the dim of the mean. */
function averaged({ region, axis }: MeanOverSettings, shape: readonly number[]): number[] {
  const chosen = region[axis] ?? Array.from({ length: shape[axis] }, (_, i) => i);
  return [...chosen].sort((a, b) => a - b);
}
