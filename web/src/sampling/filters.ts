/**
 * The filters that stand between logits and a choice; as in pellucid/generation/filters.py.
 *
 * Scores act as logits: softmax makes them probabilities, and −∞ means never. None takes the last
 * token away.
 */

export type Scores = Float64Array;

/** A share of probability counts as reached when only rounding is missing. */
const ROUNDING = 1e-12;

/** The probabilities of scores, one of which at least is finite. */
export function softmax(scores: Scores): Scores {
  const weights = belowBest(scores).map(Math.exp);
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

/** The ids of the `k` highest scores, best first, equal ones by lowest id; all if there are fewer. */
export function best(scores: Scores, k: number): number[] {
  const order = Array.from(scores.keys()).sort((a, b) => scores[b] - scores[a] || a - b);
  return order.slice(0, k);
}

/** Take ids away, whatever their scores. */
export function leaveOut(scores: Scores, ids: readonly number[]): Scores {
  const kept = scores.slice();
  for (const id of ids) kept[id] = -Infinity;
  return kept;
}

/**
 * Make ids, which have come before, less likely: once each, however often they have come.
 *
 * A positive score is divided by the penalty, a negative one multiplied with it.
 * Source: Keskar et al. 2019, "CTRL", section 4.1.
 */
export function penalize(scores: Scores, ids: readonly number[], penalty: number): Scores {
  const penalized = scores.slice();
  for (const id of new Set(ids)) {
    const score = scores[id];
    if (score === -Infinity) continue;
    const changed = score > 0 ? score / penalty : score * penalty;
    // A finite score stays finite, or a large penalty might leave no token at all.
    penalized[id] = Math.min(Math.max(changed, -Number.MAX_VALUE), Number.MAX_VALUE);
  }
  return penalized;
}

/** Divide by the temperature; at 0, the limit, only the best id stays. */
export function scale(scores: Scores, temperature: number): Scores {
  if (temperature === 0) return keep(scores, best(scores, 1));
  return belowBest(scores).map((score) => score / temperature);
}

/** Keep exactly the `k` best ids. Source: Fan, Lewis and Dauphin 2018. */
export function keepTopK(scores: Scores, k: number): Scores {
  return keep(scores, best(scores, k));
}

/** Keep the fewest ids that hold a share `p` of probability. Source: Holtzman et al. 2020. */
export function keepTopP(scores: Scores, p: number): Scores {
  if (p === 1) return scores;
  const probabilities = softmax(scores);
  const order = best(scores, scores.length);
  let held = 0;
  const reached = order.findIndex((id) => {
    held += probabilities[id];
    return held >= p * (1 - ROUNDING);
  });
  return keep(scores, order.slice(0, reached + 1));
}

/** Keep the ids at least `p` times as likely as the likeliest. Source: Nguyen et al. 2024. */
export function keepMinP(scores: Scores, p: number): Scores {
  if (p === 0) return scores;
  const probabilities = softmax(scores);
  const top = probabilities.reduce((a, b) => Math.max(a, b), 0);
  const threshold = p * (1 - ROUNDING) * top;
  return scores.map((score, id) => (probabilities[id] >= threshold ? score : -Infinity));
}

function keep(scores: Scores, ids: readonly number[]): Scores {
  const kept = new Float64Array(scores.length).fill(-Infinity);
  for (const id of ids) kept[id] = scores[id];
  return kept;
}

function belowBest(scores: Scores): Scores {
  const top = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  return scores.map((score) => score - top);
}
