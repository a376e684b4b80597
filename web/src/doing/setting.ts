/** Under what a text is run: part of what the page looks at, and of its address. */

import { type Change, readChanges } from "./changes";

export interface Setting {
  /** The ids that are run where they are not those of the text: a text that has grown. */
  readonly ids: readonly number[] | null;
  /** In the order in which they were made. */
  readonly changes: readonly Change[];
  /** The token that should come after the text, for gradients; null asks for none. */
  readonly target: number | null;
  /** Which of the film's steps the weights are from; null for the model as it is. */
  readonly frame: number | null;
  /** Which numbers of each tensor are shown. */
  readonly layer: Layer;
}

/** The numbers themselves, their gradients, what they were without changes, or the difference. */
export type Layer = "value" | "gradient" | "before" | "difference";

export const PLAIN: Setting = { ids: null, changes: [], target: null, frame: null, layer: "value" };

const LAYERS: readonly Layer[] = ["value", "gradient", "before", "difference"];

/** Write a setting into the parts of an address; what is as always is left out. */
export function writeSetting(parts: URLSearchParams, setting: Setting): void {
  const { ids, changes, target, frame, layer } = setting;
  if (ids) parts.set("ids", ids.join(","));
  if (changes.length) parts.set("edits", JSON.stringify(changes));
  if (target !== null) parts.set("target", String(target));
  if (frame !== null) parts.set("frame", String(frame));
  if (layer !== "value") parts.set("layer", layer);
}

/** The setting in an address; what is wrong there counts as not said. */
export function readSetting(parts: URLSearchParams): Setting {
  const ids = parts.get("ids") ?? "";
  const layer = parts.get("layer") as Layer | null;
  return {
    ids: /^\d{1,9}(,\d{1,9})*$/.test(ids) ? ids.split(",").map(Number) : null,
    changes: changesIn(parts.get("edits")),
    target: index(parts.get("target")),
    frame: index(parts.get("frame")),
    layer: layer && LAYERS.includes(layer) ? layer : "value",
  };
}

function changesIn(text: string | null): readonly Change[] {
  if (text === null) return [];
  try {
    return readChanges(text);
  } catch {
    return [];
  }
}

function index(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
