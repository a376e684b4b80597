/** What is shown of a tensor: all of its numbers, or of a large one those in sight and a picture. */

import { type Numbers, numbersOf, type Runs } from "../doing/layers";
import type { Layer } from "../doing/setting";
import { type Extent, extentOf, type Glimpse } from "../sources/glimpse";
import type { At } from "../sources/source";
import type { Layout } from "./layout";
import { ROOM } from "./minimap";

/** A matrix of more numbers is not fetched whole. */
const MANY = 2 ** 16;

/** Rows and columns that are in sight. */
export interface Sight {
  readonly top: number;
  readonly left: number;
  readonly rows: number;
  readonly columns: number;
}

export interface Part extends Numbers {
  /** Where in the matrix the numbers are. */
  readonly sight: Sight;
  /** Of the whole matrix. */
  readonly extent: Extent;
  /** Of the whole matrix, where not all of its numbers are here. */
  readonly pixels: Float32Array | null;
}

export function isLarge({ height, width }: Layout): boolean {
  return height * width > MANY;
}

/** The whole of a matrix; null where this page has no numbers of it. */
export async function wholeOf(
  runs: Runs,
  layer: Layer,
  name: string,
  layout: Layout,
): Promise<Part | null> {
  const found = await numbersOf(runs, layer, name, layout.at);
  const sight = { top: 0, left: 0, rows: layout.height, columns: layout.width };
  return found && { ...found, sight, extent: extentOf(found.numbers), pixels: null };
}

/** What is in sight of a large matrix, and all of a smaller one. */
export async function partOf(
  runs: Runs,
  layer: Layer,
  name: string,
  layout: Layout,
  sight: Sight,
): Promise<Part | null> {
  // How far differences reach is known to none but who has both runs.
  if (!isLarge(layout) || layer === "difference") return wholeOf(runs, layer, name, layout);
  const [found, seen] = await Promise.all([
    numbersOf(runs, layer, name, { ...layout.at, ...spans(layout, sight) }),
    glimpseOf(runs, layer, name, layout),
  ]);
  return found && seen && { ...found, sight, ...seen };
}

/** A large matrix as its picture, without any of its numbers. */
export async function glimpseOf(
  { run, before }: Runs,
  layer: Layer,
  name: string,
  layout: Layout,
): Promise<Glimpse | null> {
  if (!run || !(name in run.shapes)) return null;
  const of = layer === "before" && before && name in before.shapes ? before : run;
  const kind = layer === "gradient" ? "gradient" : "value";
  const most = { [layout.rows]: ROOM.height, [layout.columns]: ROOM.width };
  delete most[""];
  return of.glimpse(kind, name, layout.at, most);
}

function spans({ rows, columns }: Layout, sight: Sight): At {
  const at: Record<string, [number, number]> = {};
  if (rows) at[rows] = [sight.top, sight.top + sight.rows];
  if (columns) at[columns] = [sight.left, sight.left + sight.columns];
  return at;
}
