/** What Python computed, as tests/browser/fixtures.py wrote it down. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Parameter } from "../src/engine/explain";
import type { Tensor } from "../src/engine/tensor";
import { unpack } from "../src/engine/packed";
import type { Labels } from "../src/ops/evidence";
import type { EditData, ExplanationData, GraphData, ParameterSlot } from "../src/wire";

const LISTS = ["kinds.json", "verdicts.json"];
const FOLDER = process.env["PELLUCID_FIXTURES"];

export interface Fixture {
  name: string;
  graph: GraphData;
  edits: EditData[];
  parameters: Map<string, Parameter>;
  labels: Labels;
  ids: number[];
  targets: number[];
  values: Map<string, Tensor>;
  gradients: Map<string, Tensor>;
  exactGradients: Map<string, Tensor>;
  explanations: { index: number[]; expected: ExplanationData }[];
}

/** Every model that was written down; an error where none was. */
export function fixtures(): Fixture[] {
  return readdirSync(folder())
    .filter((file) => file.endsWith(".json") && !LISTS.includes(file))
    .map((file) => ({ name: file.replace(".json", ""), ...read(file) }));
}

export function kinds(): string[] {
  return JSON.parse(readFileSync(join(folder(), "kinds.json"), "utf8"));
}

/** What may stand for an edit, and whether Python takes it for BabyGroot's text. */
export function verdicts(): { edit: unknown; taken: boolean }[] {
  return JSON.parse(readFileSync(join(folder(), "verdicts.json"), "utf8"));
}

function folder(): string {
  if (!FOLDER) throw new Error("Run by pytest tests/browser, which writes what Python computed.");
  return FOLDER;
}

function read(file: string) {
  const data = JSON.parse(readFileSync(join(folder(), file), "utf8"));
  const slots: Record<string, ParameterSlot> = data.parameters.slots;
  const weights = unpack(slots, data.parameters.bytes);
  return {
    ...data,
    parameters: new Map(
      Object.entries(slots).map(([name, { dims, title }]) => [
        name,
        { tensor: weights.get(name)!, dims, title },
      ]),
    ),
    values: unpack(data.values.slots, data.values.bytes),
    gradients: unpack(data.gradients.slots, data.gradients.bytes),
    exactGradients: unpack(data.gradients.slots, data.exact_gradients),
  };
}
