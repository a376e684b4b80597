/** What somebody has typed, or an address says, as ids that can be run. */

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
  checkLength(ids, most);
  return ids;
}

/**
 * Refuse ids that are none of the model's, and more of them than it reads.
 *
 * @param target what should come after them, if anything.
 */
export function checkIds(
  ids: readonly number[],
  target: number | null,
  sizes: Readonly<Record<string, number>>,
): void {
  const { vocab, position } = sizes;
  const wrong = [...ids, target ?? 0].find((id) => !Number.isInteger(id) || id < 0 || id >= vocab);
  if (wrong !== undefined) {
    throw new UnknownText(`There is no token ${wrong}: ids go from 0 to ${vocab - 1}.`);
  }
  if (!ids.length) throw new UnknownText("There is nothing to read: give at least one token.");
  checkLength(ids, position);
}

function checkLength({ length }: readonly number[], most: number): void {
  if (length > most) throw new UnknownText(`${length} tokens; this model reads ${most} at once.`);
}
