/** Tokens that somebody types: one of the vocabulary, or what the tokenizer reads as a single one. */

import type { Explorer } from "../page/explorer.svelte";

/** A list of more words than this is none to choose from. */
export const LONGEST_LIST = 300;

/** The id of a typed token; null for none, or more than one. */
export function idOf({ page, tokenizer }: Explorer, text: string): number | null {
  const exact = page.vocabulary.indexOf(text);
  if (exact >= 0) return exact;
  if (/^\d+$/.test(text) && !tokenizer) return Number(text);
  try {
    const start = page.tokenizer?.start.length ?? 0;
    const ids = tokenizer?.prompt(text).slice(start) ?? [];
    return ids.length === 1 ? ids[0] : null;
  } catch {
    return null;
  }
}
