/** Where the page has its numbers from: an engine in a worker, a trace in the file, or a server. */

import type { EditData, ExplanationData } from "../wire";
import type { Glimpse } from "./glimpse";

/** Along some dims one place, or those from one on and before another. */
export type At = Readonly<Record<string, number | readonly [number, number]>>;

export type Kind = "value" | "gradient";

/** One run over a text, ready to be looked at. */
export interface Run {
  readonly ids: readonly number[];
  readonly tokens: readonly string[];
  /** The shape of every tensor that can be looked at, in the order of the graph. */
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  readonly edits: readonly EditData[];

  /** A tensor's numbers, row by row; at places along some dims, what remains. */
  tensor(name: string, at?: At): Promise<Float32Array>;

  /** The gradient of the loss by a tensor, the same way; null where this run has none. */
  gradient(name: string, at?: At): Promise<Float32Array | null>;

  /** The same at a glance, with at most so many pixels along each dim; for two dims at most. */
  glimpse(
    kind: Kind,
    name: string,
    at: At,
    most: Readonly<Record<string, number>>,
  ): Promise<Glimpse | null>;

  /** How a number was made, or where its gradient came from. */
  explain(
    kind: Kind,
    name: string,
    index: readonly number[],
    limit: number,
  ): Promise<ExplanationData>;
}

/** What a run may have besides a text and edits. */
export interface Options {
  /** The token that should come after the text: then there are gradients. */
  readonly target: number | null;
  /** The step of the film that the weights are from; null for the model as it is. */
  readonly frame: number | null;
}

export interface Source {
  /** Whether other texts than the first can be run. */
  readonly live: boolean;

  /** Run a text. Of several that are asked for, only the last is answered; others are cancelled. */
  run(ids: readonly number[], edits: readonly EditData[], options: Options): Promise<Run>;
}

/** Says that a run was no longer wanted. */
export class Cancelled extends Error {}
