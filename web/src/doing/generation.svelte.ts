/** Text that grows: a token drawn from the last position, again and again. */

import type { Explorer } from "../page/explorer.svelte";
import { drawn, type Ladder, ladderOf } from "./steps";

export class Generation {
  running = $state(false);
  /** Why nothing can be drawn; "" where something can. */
  trouble = $state("");

  constructor(private readonly explorer: Explorer) {}

  /** The ladder at a position of the present run. */
  async ladder(position: number): Promise<Ladder> {
    const { run, page, view } = this.explorer;
    const logits = await run!.tensor("logits", { position });
    return ladderOf(
      tokensOnly(logits, page.tokenizer?.size ?? page.vocabulary.length),
      view.sampling,
      run!.ids.slice(0, position + 1),
      page.tokenizer?.never ?? [],
    );
  }

  /** Whether another token can be read behind a position. */
  fits(position: number): boolean {
    return position + 1 < this.explorer.graph.sizes["position"];
  }

  /** Go on with a token behind a position; what stood there before is dropped. */
  async append(position: number, id: number): Promise<void> {
    const { ids, view } = this.explorer;
    const changes = view.changes.filter(
      (change) => change.edit !== "token" || change.position <= position,
    );
    await this.explorer.set({ ids: [...ids.slice(0, position + 1), id], changes });
  }

  /** Draw so many tokens, or fewer, if the text ends before. */
  async generate(count: number): Promise<void> {
    this.running = true;
    this.trouble = "";
    try {
      for (let i = 0; i < count && this.running; i++) {
        const position = this.explorer.run!.ids.length - 1;
        if (!this.fits(position)) return;
        const uniform = Math.random();
        this.explorer.keep({ uniform });
        const id = drawn(await this.ladder(position), uniform);
        const run = this.explorer.run;
        await this.append(position, id);
        // A run that could not be made says why on the page.
        if (this.explorer.run === run || this.ends(id)) return;
      }
    } catch (error) {
      this.trouble = error instanceof Error ? error.message : String(error);
    } finally {
      this.running = false;
    }
  }

  /** Whether a token ends the text. */
  ends(id: number): boolean {
    return this.explorer.page.tokenizer?.end.includes(id) ?? false;
  }

  stop(): void {
    this.running = false;
  }
}

const made = new WeakMap<Explorer, Generation>();

/** The one generation of a page: its head and its ladder start and stop the same. */
export function generationOf(explorer: Explorer): Generation {
  const generation = made.get(explorer) ?? new Generation(explorer);
  made.set(explorer, generation);
  return generation;
}

/** Logits of tokens: rows that a vocabulary has for none, to be a round number, are never drawn. */
function tokensOnly(logits: Float32Array, tokens: number): Float32Array {
  if (!tokens || logits.length <= tokens) return logits;
  return logits.map((logit, id) => (id < tokens ? logit : -Infinity));
}
