/** What an edit becomes: a step that does to a tensor what the edit says; as in pellucid/trace/edit_steps.py. */

import type { Region } from "../ops/change";
import type { Labels } from "../ops/evidence";
import type { EditData, PlacesData, ValueData } from "../wire";
import type { Tensor } from "./tensor";

/** An edit that cannot be made: a tensor, a place or a shape that is not there. */
export class BadEdit extends Error {}

/** What an edit becomes: the kind and the settings of a step. */
export interface Step {
  readonly kind: string;
  readonly settings: Record<string, unknown>;
}

/** A tensor as it will be, but for its numbers. */
export interface Shaped {
  readonly name: string;
  readonly dims: readonly string[];
  readonly shape: readonly number[];
}

/** The places in the wire's edit: of scores, for a masked query and key. */
function cellOf(edit: EditData): Record<string, PlacesData> {
  if (edit.edit !== "mask_attention") return edit.cell ?? {};
  const { query, key, head } = edit;
  return Object.fromEntries(
    Object.entries({ head, query, key }).filter(([, place]) => place != null),
  ) as Record<string, PlacesData>;
}

/** The step of an edit of this tensor. */
export function stepOf(edit: EditData, tensor: Shaped, labels: Labels): Step {
  const cell = cellOf(edit);
  for (const dim of Object.keys(cell)) {
    if (!tensor.dims.includes(dim)) throw new BadEdit(`${tensor.name} has no dim ${dim}.`);
  }
  const region: Region = tensor.dims.map((dim, i) =>
    dim in cell ? placesAlong(cell[dim], tensor.shape[i], dim, labels[dim]) : null,
  );
  const change = (factor: number, value: ValueData | null): Step => ({
    kind: "change",
    settings: {
      region,
      factor,
      shift: value === null ? null : spread(value, tensor, region, cell),
      words: wordsOf(edit),
    },
  });
  switch (edit.edit) {
    case "zero":
      return change(0, null);
    case "scale":
      return change(edit.factor, null);
    case "mask_attention":
      return change(0, "-Infinity");
    case "add":
      return change(1, edit.value);
    case "set_to":
    case "copy_from":
      return change(0, edit.value);
    case "mean_over": {
      const axis = tensor.dims.indexOf(edit.dim);
      if (axis < 0) throw new BadEdit(`${tensor.name} has no dim ${edit.dim}.`);
      return { kind: "mean_over", settings: { region, axis, words: wordsOf(edit) } };
    }
  }
}

/** The indices along one dim. */
function placesAlong(
  places: PlacesData,
  size: number,
  dim: string,
  labels: readonly string[] | undefined,
): number[] {
  if (typeof places === "object" && !Array.isArray(places)) {
    const { start, stop, step } = places;
    const every = Array.from({ length: size }, (_, i) => i).slice(start ?? 0, stop ?? size);
    return every.filter((_, i) => i % (step ?? 1) === 0);
  }
  return [places].flat().map((place) => {
    const index = typeof place === "string" ? indexOfLabel(place, labels, dim) : place;
    const found = index < 0 ? index + size : index;
    if (!(found >= 0 && found < size)) throw new BadEdit(`${dim}=${place} is out of range.`);
    return found;
  });
}

/** A label that stands there once, or `am@3` for one that stands at several places. */
function indexOfLabel(label: string, labels: readonly string[] | undefined, dim: string): number {
  const [, word, at] = /^(.*)@(\d+)$/s.exec(label) ?? [];
  if (word !== undefined && labels?.[Number(at)] === word) return Number(at);
  const first = labels?.indexOf(label) ?? -1;
  if (first < 0) throw new BadEdit(`There is no "${label}" along ${dim}.`);
  if (first !== labels!.lastIndexOf(label)) {
    throw new BadEdit(`"${label}" stands at several places along ${dim}: give one of them.`);
  }
  return first;
}

/** A value with all dims of a tensor, each as long as the region of its cells, or 1. */
function spread(
  value: ValueData,
  tensor: Shaped,
  region: Region,
  cell: Readonly<Record<string, PlacesData>>,
): Tensor {
  const array = typeof value === "object" ? value : { shape: [], numbers: [value] };
  const lengths = tensor.shape.map((size, i) => region[i]?.length ?? size);
  const single = tensor.dims.map((dim) => ["number", "string"].includes(typeof cell[dim]));
  let kept = lengths.map((_, i) => i).filter((i) => !single[i]);
  if (array.shape.length > kept.length) kept = lengths.map((_, i) => i);
  const shape = lengths.map(() => 1);
  const axes = kept.slice(kept.length - array.shape.length);
  array.shape.forEach((size, i) => (shape[axes[i]] = size));
  if (axes.length !== array.shape.length || shape.some((n, i) => n !== 1 && n !== lengths[i])) {
    throw new BadEdit(`A value of ${array.shape.join(" × ")} does not fit ${tensor.name}.`);
  }
  return { shape, data: Float32Array.from(array.numbers, Number) };
}

/** What an edit does, without the tensor: "scale 2". */
function wordsOf(edit: EditData): string {
  const say = (value: ValueData) => {
    if (typeof value === "object") return `${value.shape.join(" × ")} numbers`;
    return value === "-Infinity" ? "-inf" : String(value);
  };
  switch (edit.edit) {
    case "zero":
    case "mask_attention":
      return edit.edit;
    case "scale":
      return `scale ${say(edit.factor)}`;
    case "mean_over":
      return `mean_over ${edit.dim}`;
    default:
      return `${edit.edit} ${say(edit.value)}`;
  }
}
