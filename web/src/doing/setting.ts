/** Under what a text is run: part of what the page looks at, and of its address. */

import { GREEDY, type Sampling } from "../sampling/sampling";
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
  /** How a token is chosen from the distribution. */
  readonly sampling: Sampling;
  /** The number from 0 to 1 that a token is drawn with. */
  readonly uniform: number;
  /** Which numbers of each tensor are shown. */
  readonly layer: Layer;
}

/** The numbers themselves, their gradients, what they were without changes, or the difference. */
export type Layer = "value" | "gradient" | "before" | "difference";

/** Everything is possible, as likely as the model says. */
const ALL: Sampling = { ...GREEDY, temperature: 1 };

export const PLAIN: Setting = {
  ids: null,
  changes: [],
  target: null,
  frame: null,
  sampling: ALL,
  uniform: 0.5,
  layer: "value",
};

const KEYS = ["temperature", "top_k", "top_p", "min_p", "repetition_penalty"] as const;
const LAYERS: readonly Layer[] = ["value", "gradient", "before", "difference"];

/** Write a setting into the parts of an address; what is as always is left out. */
export function writeSetting(parts: URLSearchParams, setting: Setting): void {
  const { ids, changes, target, frame, sampling, uniform, layer } = setting;
  if (ids) parts.set("ids", ids.join(","));
  if (changes.length) parts.set("edits", JSON.stringify(changes));
  if (target !== null) parts.set("target", String(target));
  if (frame !== null) parts.set("frame", String(frame));
  for (const key of KEYS) {
    if (sampling[key] !== ALL[key]) parts.set(key, String(sampling[key]));
  }
  if (uniform !== PLAIN.uniform) parts.set("draw", String(uniform));
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
    sampling: samplingIn(parts),
    uniform: within(parts.get("draw"), 0, 1 - Number.EPSILON) ?? PLAIN.uniform,
    layer: layer && LAYERS.includes(layer) ? layer : "value",
  };
}

function samplingIn(parts: URLSearchParams): Sampling {
  const most = (key: string, limit: number) => within(parts.get(key), Number.MIN_VALUE, limit);
  const top_k = index(parts.get("top_k"));
  return {
    temperature: within(parts.get("temperature"), 0, 100) ?? ALL.temperature,
    top_k: top_k ? top_k : null,
    top_p: most("top_p", 1),
    min_p: most("min_p", 1),
    repetition_penalty: most("repetition_penalty", 100),
  };
}

/** A number between two others, these among them; null for anything else. */
function within(text: string | null, least: number, most: number): number | null {
  const value = text ? Number(text) : NaN;
  return value >= least && value <= most ? value : null;
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
