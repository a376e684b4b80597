/** Runs to compare: of a text with changes, and of the same text without them. */

import { type Change, editsOf, idsWith } from "../doing/changes";
import type { Options, Run, Source } from "../sources/source";

export interface Compared {
  readonly run: Run;
  /** Without the changes; null where there are none. */
  readonly before: Run | null;
}

export class Runs {
  /** The last run without changes, and what it had besides its text. */
  private last: { run: Run; options: Options } | null = null;

  constructor(private readonly source: Source) {}

  async compared(
    ids: readonly number[],
    changes: readonly Change[],
    options: Options,
  ): Promise<Compared> {
    const before = changes.length ? await this.plain(ids, options) : null;
    const run = await this.source.run(idsWith(ids, changes), editsOf(changes), options);
    if (!before) this.last = { run, options };
    return { run, before };
  }

  /** A run without changes, which may have been made already. */
  private async plain(ids: readonly number[], options: Options): Promise<Run> {
    const { frame, target } = this.last?.options ?? {};
    const same = frame === options.frame && target === options.target;
    if (!this.last || !same || this.last.run.ids.join() !== ids.join()) {
      this.last = { run: await this.source.run(ids, [], options), options };
    }
    return this.last.run;
  }
}
