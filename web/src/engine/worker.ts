/** The engine beside the page, in a thread of its own: what is asked of it by message. */

import type { EditData, PageData } from "../wire";
import { Model, type ModelRun } from "./model";
import { storedRun } from "./stored";

interface RunAsk {
  call: "run";
  ids: readonly number[];
  edits: readonly EditData[];
  target: number | null;
  frame: number | null;
}

export type Ask =
  | { call: "open"; page: PageData }
  | RunAsk
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

/** So many runs are kept: the present one, one to compare it with, and some on the way out. */
const KEPT = 4;

/** What makes a run of a text: a model, or a page that holds one run alone. */
let make: ((ask: RunAsk) => ModelRun) | undefined;
/** What was asked for, by the number of the run: one that is no longer kept is run again. */
const asked: RunAsk[] = [];
const kept = new Map<number, ModelRun>();

function answer(ask: Ask): unknown {
  switch (ask.call) {
    case "open":
      make = makerOf(ask.page);
      return null;
    case "run": {
      const run = asked.push(ask) - 1;
      return { run, shapes: runOf(run).shapes };
    }
    case "tensor":
      return runOf(ask.run).tensor(ask.name).data;
    case "gradient":
      return runOf(ask.run).gradient(ask.name)?.data ?? null;
    case "explain":
      return runOf(ask.run).explain(ask.kind, ask.name, ask.index, ask.limit);
  }
}

function makerOf(page: PageData): (ask: RunAsk) => ModelRun {
  if (page.parameters.bytes === null) {
    const stored = storedRun(page);
    return () => stored;
  }
  const model = new Model(page);
  return ({ ids, edits, target, frame }) => model.run(ids, edits, target, frame);
}

/** A run by its number; of those that are kept, it is the last to go. */
function runOf(number: number): ModelRun {
  const run = kept.get(number) ?? make!(asked[number]);
  kept.delete(number);
  kept.set(number, run);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
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
