/** From logits to a drawn token at one position: what the ladder shows, token by token. */

import type { Scores } from "../sampling/filters";
import { softmax } from "../sampling/filters";
import { ladder, pick, type Sampling, type Stage } from "../sampling/sampling";

export interface Ladder {
  /** Over the whole vocabulary, as the model gave them. */
  readonly logits: Float32Array;
  /** The model's own probabilities. */
  readonly unfiltered: Scores;
  readonly stages: readonly Stage[];
  /** What a token is drawn from. */
  readonly probabilities: Scores;
  /** Every id, the highest logit first, equal ones by lowest id. */
  readonly order: readonly number[];
}

/** Where an id lies on the line from 0 to 1 that a number is drawn on. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Every stage between logits and the draw.
 *
 * @throws Error for logits that nothing can be drawn from.
 */
export function ladderOf(
  logits: Float32Array,
  sampling: Sampling,
  seen: readonly number[],
  never: readonly number[],
): Ladder {
  const wrong = logits.findIndex((logit) => Number.isNaN(logit) || logit === Infinity);
  if (wrong >= 0) {
    const value = Number.isNaN(logits[wrong]) ? "not a number" : "infinite";
    throw new Error(`The logit of token ${wrong} is ${value}: nothing can be drawn.`);
  }
  if (logits.every((logit) => logit === -Infinity)) {
    throw new Error("Every logit is −∞: nothing can be drawn.");
  }
  const unfiltered = softmax(Float64Array.from(logits));
  const stages = ladder(logits, sampling, seen, never);
  const order = Array.from(logits.keys()).sort((a, b) => logits[b] - logits[a] || a - b);
  const probabilities = stages[stages.length - 1].after;
  return { logits, unfiltered, stages, probabilities, order };
}

/** The part of the line that belongs to an id: ids lie on it in ascending order. */
export function spanOf(probabilities: Scores, id: number): Span {
  const upTo = (end: number) => probabilities.subarray(0, end).reduce((a, b) => a + b, 0);
  const from = upTo(id);
  return { from, to: from + probabilities[id] };
}

/** The id that a number drawn from 0 to 1 stands for. */
export function drawn({ probabilities }: Ladder, uniform: number): number {
  return pick(probabilities, uniform);
}

/** What a stage does, in a sentence. */
export const WHY: Readonly<Record<string, string>> = {
  never: "Tokens that no text has inside it: the start, what fills up, what is unknown",
  repetition_penalty: "Tokens that have come before become less likely",
  temperature: "Logits are divided by it: below 1 the likely win, above 1 all become alike",
  top_k: "Only so many of the likeliest tokens stay",
  top_p: "The fewest tokens stay that hold this share of the probability",
  min_p: "Tokens stay that are at least so likely, measured by the likeliest",
};

/** What a stage is called on the page. */
export const CALLED: Readonly<Record<string, string>> = {
  never: "never chosen",
  repetition_penalty: "repetition penalty",
  temperature: "temperature",
  top_k: "top-k",
  top_p: "top-p",
  min_p: "min-p",
};
