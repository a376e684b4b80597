/** What is changed in a run: edits as Python makes them, and tokens that stand for others. */

import { labelAt } from "../ops/evidence";
import type { EditData, PlacesData, ValueData } from "../wire";
import { readEdit } from "./edit_format";

/** Another token at a place of the text. */
export interface TokenData {
  readonly edit: "token";
  readonly position: number;
  readonly id: number;
}

export type Change = EditData | TokenData;

/** What stands along a dim of a tensor; null for nothing but numbers. */
type Labels = (name: string, dim: string) => readonly string[] | null;

/** The edits among changes: all that Python's `edits_from_json` and `--edit FILE` take. */
export function editsOf(changes: readonly Change[]): EditData[] {
  return changes.filter((change): change is EditData => change.edit !== "token");
}

/** The ids of a text with its replaced tokens. */
export function idsWith(ids: readonly number[], changes: readonly Change[]): number[] {
  const replaced = [...ids];
  for (const change of changes) {
    if (change.edit === "token" && change.position < ids.length) {
      replaced[change.position] = change.id;
    }
  }
  return replaced;
}

/**
 * Changes from JSON: Python's edits, and the tokens of an address.
 *
 * @throws Error in words that can be shown, where the text holds anything else.
 */
export function readChanges(text: string): Change[] {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    throw new Error("These are no edits: the text is no JSON.");
  }
  if (!Array.isArray(found)) throw new Error("These are no edits: a list of them is needed.");
  return found.map(readChange);
}

function readChange(found: unknown): Change {
  const change = found as Record<string, unknown> | null;
  if (change?.["edit"] === "token") {
    const { position, id } = change;
    if (isIndex(position) && isIndex(id)) return { edit: "token", position, id };
    throw new Error("A replaced token needs its position and its id.");
  }
  return readEdit(found);
}

function isIndex(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

/** A change in words: `attn.pattern[am, i]` becomes 0. */
export function sayChange(change: Change, vocabulary: readonly string[], labels: Labels): string {
  switch (change.edit) {
    case "token":
      return `token ${change.position} becomes ${vocabulary[change.id] ?? change.id}`;
    case "mask_attention": {
      const places = [change.query ?? "no token", change.key ?? "any"].map((place, i) =>
        typeof place === "number" ? wordAt(labels("pattern", i ? "key" : "query"), place) : place,
      );
      const where = [
        change.layer == null ? "every block" : `block ${change.layer}`,
        change.head == null ? "every head" : `head ${change.head}`,
      ];
      return `${places[0]} no longer looks at ${places[1]} (${where.join(", ")})`;
    }
    default: {
      const cell = Object.entries(change.cell ?? {});
      const where = cell.map(([dim, at]) => sayPlace(dim, at, labels(change.name, dim)));
      return `${change.name}${where.length ? `[${where.join(", ")}]` : ""} ${effect(change)}`;
    }
  }
}

function effect(change: Exclude<EditData, { edit: "mask_attention" }>): string {
  switch (change.edit) {
    case "zero":
      return "becomes 0";
    case "scale":
      return `times ${change.factor}`;
    case "add":
      return `plus ${sayValue(change.value)}`;
    case "mean_over":
      return `becomes its mean over ${change.dim}`;
    default:
      return `becomes ${sayValue(change.value)}`;
  }
}

function sayValue(value: ValueData): string {
  if (typeof value === "object") return `${value.shape.join(" × ")} numbers`;
  return value === "-Infinity" ? "−∞" : String(value);
}

function sayPlace(dim: string, places: PlacesData, labels: readonly string[] | null): string {
  if (typeof places === "number") return `${dim}=${wordAt(labels, places)}`;
  if (typeof places === "string") return `${dim}=${places}`;
  if (Array.isArray(places)) return `${dim}=${places.join(" and ")}`;
  return `${dim}=${places.start ?? ""}:${places.stop ?? ""}`;
}

function wordAt(labels: readonly string[] | null, place: number): string {
  return labels && place in labels ? labelAt(labels, place) : String(place);
}
