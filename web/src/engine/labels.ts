/** The words that stand along the dims of a run's tensors. */

import type { Labels } from "../ops/evidence";

/** What stands along each dim that has names. */
export function labelsOf(ids: readonly number[], vocabulary: readonly string[]): Labels {
  const tokens = ids.map((id) => vocabulary[id] ?? String(id));
  const along = { position: tokens, query: tokens, key: tokens };
  return vocabulary.length ? { ...along, vocab: vocabulary } : along;
}
