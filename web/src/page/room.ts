/** How many columns of cells there is room for. */

import { kindOf } from "./kinds";

/** In em: a cell; one of probabilities, which have exponents where they are small. */
const CELL = 3.9;
const LONG_CELL = 4.3;
const FEWEST = 4;
const MOST = 16;

/**
 * The most columns that do not scroll sideways.
 *
 * @param room in pixels.
 * @param beside what else stands in a row, such as its label, in em of the page.
 * @param names the tensors that are to have as many.
 */
export function columnsIn(room: number, beside: number, names: readonly string[]): number {
  const em = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const cell = names.some((name) => kindOf(name) === "probability") ? LONG_CELL : CELL;
  const columns = Math.floor((room / em - beside) / cell);
  return Math.min(Math.max(columns, FEWEST), MOST);
}
