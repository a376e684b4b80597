/** The places that an edit names along one dim, as indices; as in pellucid/trace/places.py. */

import type { PlacesData } from "../wire";

/** An edit that cannot be made: a tensor, a place or a shape that is not there. */
export class BadEdit extends Error {}

type Span = Exclude<PlacesData, number | string | readonly unknown[]>;

/** How a space in a token is made visible. */
const SPACE = "␣";

/**
 * The indices along one dim, each once.
 *
 * @throws BadEdit for one that is not there or named twice, and where there is none.
 */
export function placesAlong(
  places: PlacesData,
  size: number,
  dim: string,
  labels: readonly string[] | undefined,
): number[] {
  const found =
    typeof places === "object" && !Array.isArray(places)
      ? spanned(places, size, dim)
      : [places].flat().map((place) => indexOf(place, size, dim, labels));
  if (!found.length) throw new BadEdit(`No place is named along ${dim}, which has ${size}.`);
  if (new Set(found).size < found.length) {
    throw new BadEdit(`A place along ${dim} is named twice.`);
  }
  return found;
}

function indexOf(
  place: number | string,
  size: number,
  dim: string,
  labels: readonly string[] | undefined,
): number {
  if (typeof place === "string") return indexOfLabel(place, labels, dim);
  const found = place < 0 ? place + size : place;
  if (!(found >= 0 && found < size)) {
    throw new BadEdit(`${dim}=${place} is out of range: there are 0 to ${size - 1}.`);
  }
  return found;
}

/** What Python's slice takes: a step below 0 goes backwards. */
function spanned({ start, stop, step }: Span, size: number, dim: string): number[] {
  const by = step ?? 1;
  if (by === 0) {
    throw new BadEdit(`A span along ${dim} has a step of 0: leave it out to take each place.`);
  }
  const [least, most] = by > 0 ? [0, size] : [-1, size - 1];
  const end = (given: number) => Math.min(Math.max(given < 0 ? given + size : given, least), most);
  const first = start == null ? (by > 0 ? least : most) : end(start);
  const last = stop == null ? (by > 0 ? most : least) : end(stop);
  const found: number[] = [];
  for (let i = first; by > 0 ? i < last : i > last; i += by) found.push(i);
  return found;
}

/** A label that stands there once, or `am@3` for one that stands at several places. */
function indexOfLabel(label: string, labels: readonly string[] | undefined, dim: string): number {
  if (!labels) {
    throw new BadEdit(`${dim} has no labels, so "${label}" names no place: give an index.`);
  }
  for (const spelled of spellings(label, labels)) {
    const first = labels.indexOf(spelled);
    if (first !== labels.lastIndexOf(spelled)) {
      throw new BadEdit(`"${label}" stands at several places along ${dim}: give one of them.`);
    }
    if (first >= 0) return first;
    const [, word, at] = /^(.*)@(\d+)$/s.exec(spelled) ?? [];
    if (word !== undefined && labels[Number(at)] === word) return Number(at);
  }
  throw new BadEdit(`There is no "${label}" along ${dim}.`);
}

/** How a label may stand among others: as it is, or with its spaces made visible. */
function spellings(label: string, labels: readonly string[]): string[] {
  const spelled = [label];
  if (label.includes(" ")) spelled.push(label.replaceAll(" ", SPACE));
  // Only where no token has a space of its own are those around a label there for the eye.
  if (label.trim() !== label && !labels.some((known) => known.includes(SPACE))) {
    spelled.push(label.trim());
  }
  return spelled;
}
