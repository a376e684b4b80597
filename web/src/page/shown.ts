/** What a matrix shows: numbers, with the layout and the labels that belong to them. */

import type { Layer } from "../doing/setting";
import { indexAt, type Layout } from "./layout";

export type Labels = readonly string[] | null;

export interface Shown {
  readonly name: string;
  readonly dims: readonly string[];
  readonly layout: Layout;
  /** Row by row. */
  readonly numbers: Float32Array;
  readonly layer: Layer;
  /** Where a number is another than without changes; null where nothing is changed. */
  readonly changed: readonly boolean[] | null;
  readonly labels: { readonly rows: Labels; readonly columns: Labels };
}

export function numberAt({ numbers, layout }: Shown, row: number, column: number): number {
  return numbers[row * layout.width + column];
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
