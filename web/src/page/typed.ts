/** What somebody has typed, as ids that can be run. */

import { type Tokenizer, UnknownText } from "../text/tokenizer";

/**
 * The ids of a text.
 *
 * @param most so many tokens are read at once.
 * @throws UnknownText where it cannot be run.
 */
export function idsOf(text: string, tokenizer: Tokenizer, most: number): number[] {
  const ids = tokenizer.prompt(text);
  if (!ids.length) throw new UnknownText("Type something: there is no start token.");
  if (ids.length > most) {
    throw new UnknownText(`${ids.length} tokens; this model reads ${most} at once.`);
  }
  return ids;
}
