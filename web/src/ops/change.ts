/** A change: what an edit makes of some cells of a tensor. Everything else is handed on. */

import { constants, still, unchanged } from "./slope";
import { size, type Tensor, zeros } from "../engine/tensor";
import { asText, copied } from "./evidence";
import { bracketed, figure, inLatex } from "./figures";
import { made, type Operation } from "./operation";

/** For each dim the indices that are chosen, or null for all of them. */
export type Region = readonly (readonly number[] | null)[];

export interface ChangeSettings {
  region: Region;
  /** What is multiplied with; with 0 the shift takes the place of whatever was there. */
  factor: number;
  /** A number for each chosen cell, 1 long along a dim for the same at all its places. */
  shift: Tensor | null;
  /** What the edit is, in words. */
  words: string;
}

/** In the chosen cells `x` becomes `factor · x + shift`; −∞ stays unless the factor is 0. */
export const change: Operation<ChangeSettings> = {
  forward([x], _, settings) {
    const out = zeros(x.shape);
    eachCell(x.shape, (cell, i) => {
      const chosen = holds(settings.region, cell);
      out.data[i] = chosen ? changed(x.data[i], cell, settings) : x.data[i];
    });
    return made(out);
  },

  explain(seen, cell, settings) {
    const x = seen.input(0);
    if (!holds(settings.region, cell)) return copied(x, cell, ", not edited here");
    const before = x.value(...cell);
    const now = Math.fround(changed(before, cell, settings));
    const said = `edited here: was ${figure(before)}, ${settings.words} made it ${figure(now)}`;
    const shift = shiftAt(cell, settings);
    return {
      operands: [x.at("before the edit", ...cell)],
      formula: said,
      latex: asText(said),
      substituted: putIn(before, shift, settings.factor),
      summands: [],
      rule: (was) => changed(was[0], cell, settings),
      rounding: now === -Infinity ? 0 : Math.abs(before * settings.factor) + Math.abs(shift ?? 0),
    };
  },

  slope(seen, _, cell, { region, factor }) {
    if (!holds(region, cell)) return unchanged(...cell);
    if (factor === 0) return still(cell, "0: edited, whatever it was");
    if (seen.input(0).value(...cell) === -Infinity) return unchanged(...cell);
    const said = figure(factor);
    return {
      ...{ index: cell, via: constants(factor) },
      ...{ formula: () => said, latex: () => inLatex(said) },
    };
  },
};

/** Whether a cell is one of those that are chosen. */
export function holds(region: Region, cell: readonly number[]): boolean {
  return region.every((places, dim) => places === null || places.includes(cell[dim]));
}

/** Every cell of a shape in the order in which they lie. */
export function eachCell(
  shape: readonly number[],
  visit: (cell: readonly number[], place: number) => void,
): void {
  const cell = shape.map(() => 0);
  for (let i = 0; i < size(shape); i++) {
    visit(cell, i);
    for (let dim = shape.length - 1; dim >= 0 && ++cell[dim] === shape[dim]; dim--) cell[dim] = 0;
  }
}

function changed(x: number, cell: readonly number[], settings: ChangeSettings): number {
  const shift = shiftAt(cell, settings);
  if (settings.factor === 0) return shift ?? 0;
  if (x === -Infinity) return x;
  const scaled = settings.factor === 1 ? x : x * settings.factor;
  // Added where it changes nothing, a −0 would turn into 0.
  return shift === null || shift === 0 ? scaled : scaled + shift;
}

/** What is added in one of the chosen cells. */
function shiftAt(cell: readonly number[], { shift, region }: ChangeSettings): number | null {
  if (!shift) return null;
  const at = cell.reduce((sum, place, dim) => {
    const rank = region[dim]?.indexOf(place) ?? place;
    return sum * shift.shape[dim] + Math.min(rank, shift.shape[dim] - 1);
  }, 0);
  return shift.data[at];
}

/** The change with its numbers. */
function putIn(before: number, shift: number | null, factor: number): string {
  if (factor === 0) return figure(shift ?? 0);
  if (before === -Infinity) return "−∞";
  const first = factor === 1 ? figure(before) : `${figure(before)} × ${bracketed(factor)}`;
  return shift === null ? first : `${first} + ${bracketed(shift)}`;
}
