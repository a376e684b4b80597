/** What an edit is in JSON: its fields and what they may hold, as pellucid/trace/edits.py reads it. */

import type { EditData } from "../wire";

/** Says what a field has to be; "" where it is that. */
type Check = (value: unknown) => string;

const isWhole = (value: unknown) => typeof value === "number" && Number.isInteger(value);
const isPlace = (value: unknown) => isWhole(value) || typeof value === "string";
const isEnd = (value: unknown) => value == null || isWhole(value);
const isNumber = (value: unknown) => Number.isFinite(value) || value === "-Infinity";

const place: Check = (value) =>
  isPlace(value) ||
  (Array.isArray(value) && value.every(isPlace)) ||
  (isObject(value) &&
    onlyHas(value, ["start", "stop", "step"]) &&
    Object.values(value).every(isEnd))
    ? ""
    : "an index, a label, a list of these, or a span";

const numbers: Check = (value) => {
  const says = "an array: its shape, and as many finite numbers (or -Infinity) as fill it";
  if (!isObject(value) || !onlyHas(value, ["shape", "numbers"])) return says;
  const { shape, numbers } = value;
  if (!Array.isArray(shape) || !Array.isArray(numbers)) return says;
  if (!shape.every((size) => isWhole(size) && size >= 0) || !numbers.every(isNumber)) return says;
  return shape.reduce((product, size) => product * size, 1) === numbers.length ? "" : says;
};

const text: Check = (value) => (typeof value === "string" ? "" : "a word");
const factor: Check = (value) => (Number.isFinite(value) ? "" : "a finite number");
const amount: Check = (value) =>
  isNumber(value) || (isObject(value) && !numbers(value))
    ? ""
    : `a finite number, -Infinity, or ${numbers(null)}`;
const cell: Check = (value) =>
  value === undefined || (isObject(value) && Object.values(value).every((each) => !place(each)))
    ? ""
    : `places along dims, each ${place(null)}`;
const places: Check = (value) => (value == null ? "" : place(value));
const layers: Check = (value) =>
  value == null || isWhole(value) || (Array.isArray(value) && value.every(isWhole))
    ? ""
    : "the number of a block, or a list of them";

/** The fields of each edit. */
const FIELDS: Readonly<Record<EditData["edit"], Readonly<Record<string, Check>>>> = {
  zero: { name: text, cell },
  set_to: { name: text, cell, value: amount },
  add: { name: text, cell, value: amount },
  copy_from: { name: text, cell, value: numbers },
  scale: { name: text, cell, factor },
  mean_over: { name: text, cell, dim: text },
  mask_attention: { query: places, key: places, head: places, layer: layers },
};

/**
 * An edit from what JSON held.
 *
 * @throws Error in words that can be shown, for what Python would not take either.
 */
export function readEdit(found: unknown): EditData {
  const verb = isObject(found) ? found["edit"] : undefined;
  if (!isObject(found) || typeof verb !== "string" || !Object.hasOwn(FIELDS, verb)) {
    throw new Error(`There is no edit "${verb}".`);
  }
  if (found["steps"] != null) {
    throw new Error("Edits at single steps of a generation (steps) are for `pellucid generate`.");
  }
  const fields = FIELDS[verb as EditData["edit"]];
  if ("name" in fields && typeof found["name"] !== "string") {
    throw new Error("An edit needs the name of a tensor.");
  }
  for (const key of Object.keys(found)) {
    if (!["edit", "steps"].includes(key) && !Object.hasOwn(fields, key)) {
      throw new Error(`${verb} has no field "${key}".`);
    }
  }
  for (const [key, check] of Object.entries(fields)) {
    const why = check(found[key]);
    if (why) throw new Error(`The ${key} of ${verb} has to be ${why}.`);
  }
  return found as unknown as EditData;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function onlyHas(value: Record<string, unknown>, keys: readonly string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key));
}
