/** Text to ids and back, with the model's own tokenizer. */

import { Tokenizer as Inner } from "@huggingface/tokenizers";
import type { TokenizerData } from "../wire";

/** The nearest words are offered for up to so many unknown ones. */
const NAMED = 3;

/** Words that the vocabulary does not have. */
export class UnknownText extends Error {}

export class Tokenizer {
  private readonly inner: Inner;
  private readonly special: ReadonlySet<number>;
  private readonly hasUnknown: boolean;

  constructor(private readonly data: TokenizerData) {
    const added = data.json.added_tokens ?? [];
    this.special = new Set(added.filter(({ special }) => special).map(({ id }) => id));
    // A special token's spelling within a text is text: the library must not look for it.
    const rest = added.filter(({ special }) => !special);
    const { unk_token: unknown, vocab } = data.json.model;
    // A word-level model may name a token for unknown words that its vocabulary does not have.
    this.hasUnknown = unknown != null && !Array.isArray(vocab) && unknown in vocab;
    this.inner = new Inner(
      { ...data.json, added_tokens: rest, post_processor: null },
      this.hasUnknown ? { unk_token: unknown } : {},
    );
  }

  /**
   * The ids of a prompt, behind the start token where the tokenizer has one.
   *
   * @throws UnknownText for what the vocabulary does not have.
   */
  prompt(text: string): number[] {
    const { ids, tokens } = this.inner.encode(text, { add_special_tokens: false });
    const unknown = tokens.filter((_, i) => ids[i] === undefined || this.special.has(ids[i]));
    if (unknown.length && !this.hasUnknown) {
      const named = [...new Set(unknown)].slice(0, NAMED).map((word) => `“${word}”`);
      throw new UnknownText(`This model does not know ${named.join(", ")}.`);
    }
    return [...this.data.start, ...ids];
  }

  /** The text of ids, special tokens left out. */
  decode(ids: readonly number[]): string {
    const plain = ids.filter((id) => !this.special.has(id));
    return plain.length ? this.inner.decode(plain, { skip_special_tokens: false }) : "";
  }

  isSpecial(id: number): boolean {
    return this.special.has(id);
  }
}
