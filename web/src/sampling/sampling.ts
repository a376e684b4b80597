/** From the logits of one position to one token id, with a record of every stage between. */

import {
  keepMinP,
  keepTopK,
  keepTopP,
  leaveOut,
  penalize,
  scale,
  type Scores,
  softmax,
} from "./filters";

/** How a token is chosen; null leaves a filter out. As `Sampling` in Python. */
export interface Sampling {
  /** 0 is greedy, whatever the settings after it. */
  temperature: number;
  top_k: number | null;
  top_p: number | null;
  min_p: number | null;
  repetition_penalty: number | null;
}

export const GREEDY: Sampling = {
  temperature: 0,
  top_k: null,
  top_p: null,
  min_p: null,
  repetition_penalty: null,
};

/** What one filter did to the scores that it was given. */
export interface Stage {
  readonly name: string;
  readonly setting: number | null;
  readonly scores: Scores;
  readonly before: Scores;
  readonly after: Scores;
  /** The ids that were possible before and are not after, in ascending order. */
  readonly removed: readonly number[];
  /** How much of the probability these held. */
  readonly removedProbability: number;
}

/**
 * Every stage from the model's own distribution to that which a token is drawn from.
 *
 * @param seen ids that have come before, for the repetition penalty.
 * @param never ids that must not be chosen.
 */
export function ladder(
  logits: ArrayLike<number>,
  sampling: Sampling,
  seen: readonly number[],
  never: readonly number[],
): Stage[] {
  let scores: Scores = Float64Array.from(logits);
  return filters(sampling, seen, never).map(([name, setting, apply]) => {
    const given = scores;
    scores = apply(given);
    return stage(name, setting, given, scores);
  });
}

/** The id at which the cumulative probability passes a uniform random number in [0, 1). */
export function pick(probabilities: Scores, uniform: number): number {
  const possible = Array.from(probabilities.keys()).filter((id) => probabilities[id] > 0);
  const whole = possible.reduce((sum, id) => sum + probabilities[id], 0);
  let passed = 0;
  const found = possible.find((id) => {
    passed += probabilities[id];
    return passed > uniform * whole;
  });
  return found ?? possible[possible.length - 1];
}

type Filter = [string, number | null, (scores: Scores) => Scores];

function filters(sampling: Sampling, seen: readonly number[], never: readonly number[]): Filter[] {
  const { temperature, top_k, top_p, min_p, repetition_penalty } = sampling;
  const all: (Filter | false)[] = [
    never.length > 0 && ["never", null, (s) => leaveOut(s, never)],
    repetition_penalty !== null && [
      "repetition_penalty",
      repetition_penalty,
      (s) => penalize(s, seen, repetition_penalty),
    ],
    ["temperature", temperature, (s) => scale(s, temperature)],
    temperature > 0 && top_k !== null && ["top_k", top_k, (s) => keepTopK(s, top_k)],
    temperature > 0 && top_p !== null && ["top_p", top_p, (s) => keepTopP(s, top_p)],
    temperature > 0 && min_p !== null && ["min_p", min_p, (s) => keepMinP(s, min_p)],
  ];
  return all.filter((filter) => filter !== false);
}

function stage(name: string, setting: number | null, given: Scores, scores: Scores): Stage {
  const [before, after] = [softmax(given), softmax(scores)];
  const removed = Array.from(before.keys()).filter((id) => before[id] > 0 && after[id] === 0);
  const removedProbability = removed.reduce((sum, id) => sum + before[id], 0);
  return { name, setting, scores, before, after, removed, removedProbability };
}
