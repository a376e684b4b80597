/** What can be changed at a chosen number: the edits that are offered for it. */

import { withoutEdit } from "../engine/names";
import type { EditData } from "../wire";
import type { Change } from "./changes";

export interface Offer {
  readonly words: string;
  readonly change: Change;
}

/** The edit that makes a cell another number. */
export function setTo(
  name: string,
  dims: readonly string[],
  index: readonly number[],
  value: number,
): EditData {
  const spelled = value === -Infinity ? "-Infinity" : value;
  const cell = Object.fromEntries(dims.map((dim, i) => [dim, index[i]]));
  return { edit: "set_to", name: withoutEdit(name), cell, value: spelled };
}

/**
 * The other edits that a cell suggests: its head, its position, its edge of attention.
 *
 * @param word reads a place along a dim.
 */
export function offersFor(
  edited: string,
  dims: readonly string[],
  index: readonly number[],
  word: (dim: string, place: number) => string,
): Offer[] {
  const name = withoutEdit(edited);
  const at = Object.fromEntries(dims.map((dim, i) => [dim, index[i]]));
  const offers: Offer[] = [];
  const layer = /^blocks\.(\d+)\.attn\./.exec(name)?.[1];
  if (layer !== undefined && "query" in at && "key" in at) {
    const { head, query, key } = at;
    offers.push({
      words: `Cut ${word("query", query)} → ${word("key", key)}`,
      change: { edit: "mask_attention", layer: Number(layer), head, query, key },
    });
  }
  for (const dim of ["head", "kv_head"]) {
    if (dim in at) offers.push(zeroing(name, dim, at[dim], `head ${at[dim]}`));
  }
  for (const dim of ["position", "query"]) {
    if (dim in at) offers.push(zeroing(name, dim, at[dim], word(dim, at[dim])));
  }
  return offers;
}

function zeroing(name: string, dim: string, place: number, words: string): Offer {
  return { words: `Zero all of ${words}`, change: { edit: "zero", name, cell: { [dim]: place } } };
}

/** A number as somebody types it: `-inf` and `−0,5` too; null for none. */
export function typedNumber(text: string): number | null {
  const plain = text.trim().replace("−", "-").replace(",", ".").toLowerCase();
  if (/^-(inf|infinity|∞)$/.test(plain)) return -Infinity;
  if (!plain) return null;
  const value = Number(plain);
  return Number.isFinite(value) ? value : null;
}
