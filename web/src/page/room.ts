/** How many columns of cells there is room for. */

/** In em: a cell. */
const CELL = 3.9;
const FEWEST = 4;
const MOST = 16;

/**
 * The most columns that do not scroll sideways.
 *
 * @param room in pixels.
 * @param beside what else stands in a row, such as its label, in em of the page.
 */
export function columnsIn(room: number, beside: number): number {
  const em = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const columns = Math.floor((room / em - beside) / CELL);
  return Math.min(Math.max(columns, FEWEST), MOST);
}
