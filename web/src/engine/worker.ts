/** The engine beside the page, in a thread of its own: what is asked of it by message. */

import type { EditData, PageData } from "../wire";
import { Model, type ModelRun } from "./model";

export type Ask =
  | { call: "open"; page: PageData }
  | {
      call: "run";
      ids: readonly number[];
      edits: readonly EditData[];
      target: number | null;
      frame: number | null;
    }
  | { call: "tensor" | "gradient"; run: number; name: string }
  | {
      call: "explain";
      run: number;
      kind: "value" | "gradient";
      name: string;
      index: readonly number[];
      limit: number;
    };

export type Answer = { id: number; value: unknown } | { id: number; error: string };

/** The runs that the page still looks at: the present one, and one to compare it with. */
const KEPT = 4;

let model: Model | undefined;
let runs = 0;
const kept = new Map<number, ModelRun>();

function answer(ask: Ask): unknown {
  switch (ask.call) {
    case "open":
      model = new Model(ask.page);
      return null;
    case "run": {
      const run = model!.run(ask.ids, ask.edits, ask.target, ask.frame);
      kept.set(++runs, run);
      if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
      return { run: runs, shapes: run.shapes };
    }
    case "tensor":
      return runOf(ask.run).tensor(ask.name).data;
    case "gradient":
      return runOf(ask.run).gradient(ask.name).data;
    case "explain":
      return runOf(ask.run).explain(ask.kind, ask.name, ask.index, ask.limit);
  }
}

function runOf(number: number): ModelRun {
  const run = kept.get(number);
  if (!run) throw new Error("This run is no longer kept.");
  return run;
}

self.onmessage = ({ data }: MessageEvent<{ id: number; ask: Ask }>) => {
  let said: Answer;
  try {
    said = { id: data.id, value: answer(data.ask) };
  } catch (error) {
    said = { id: data.id, error: error instanceof Error ? error.message : String(error) };
  }
  self.postMessage(said);
};
