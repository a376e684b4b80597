/** What a matrix shows: numbers, with the layout and the labels that belong to them. */

import { indexAt, type Layout } from "./layout";
import type { Part } from "./part";

export type Labels = readonly string[] | null;

export interface Shown extends Part {
  readonly name: string;
  readonly dims: readonly string[];
  readonly layout: Layout;
  readonly labels: { readonly rows: Labels; readonly columns: Labels };
}

/** The number of a cell; undefined for one that is not here, or not yet. */
export function numberAt(shown: Shown, row: number, column: number): number | undefined {
  const place = placeIn(shown, row, column);
  return place < 0 ? undefined : shown.numbers[place];
}

/** Whether a number is another than without changes. */
export function isChanged(shown: Shown, row: number, column: number): boolean {
  const place = placeIn(shown, row, column);
  return place >= 0 && (shown.changed?.[place] ?? false);
}

/** Where a cell stands among the numbers that are here; −1 for one that does not. */
function placeIn({ sight }: Shown, row: number, column: number): number {
  const [i, j] = [row - sight.top, column - sight.left];
  const within = i >= 0 && i < sight.rows && j >= 0 && j < sight.columns;
  return within ? i * sight.columns + j : -1;
}

/** The index of a cell in its tensor. */
export function indexOfCell({ dims, layout }: Shown, row: number, column: number): number[] {
  return indexAt(dims, layout, row, column);
}

/** What stands beside a row or above a column: a token, a word, or its number; "" for no side. */
export function labelOf(shown: Shown, side: "rows" | "columns", place: number): string {
  if (!shown.layout[side]) return "";
  return shown.labels[side]?.[place] ?? String(place);
}
