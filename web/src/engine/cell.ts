/** How a cell reads: places by label where they have one, else by dim; as in pellucid/trace/cell.py. */

import { labelAt, type Labels } from "../ops/evidence";

/** `am, i`, or `position=groot, vocab=groot` where one word stands along two dims. */
export function nameCell(
  dims: readonly string[],
  shape: readonly number[],
  labels: Labels,
  index: readonly number[],
): string {
  const shown = dims
    .map((dim, i) => ({ dim, place: index[i] }))
    .filter((_, i) => shape[i] > 1 || dims.length === 1);
  return shown.map(({ dim, place }) => namePlace(labels, dim, place, shown)).join(", ");
}

function namePlace(
  labels: Labels,
  dim: string,
  place: number,
  shown: readonly { dim: string; place: number }[],
): string {
  const here = labels[dim];
  if (!here) return `${dim}=${place}`;
  const word = here[place];
  // Queries and keys are the same tokens: there the same word is the same place.
  const misleads = shown.some(
    (other) =>
      labels[other.dim] &&
      labels[other.dim][other.place] === word &&
      !same(labels[other.dim], here),
  );
  const name = labelAt(here, place);
  return misleads ? `${dim}=${name}` : name;
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((label, i) => label === b[i]));
}
