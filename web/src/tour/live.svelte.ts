/** Numbers of the run that is on the stage, by the names of their tensors. */

import type { Explorer } from "../page/explorer.svelte";

export interface Numbers {
  readonly shape: readonly number[];
  /** Row by row. */
  readonly numbers: Float32Array;
}

/** What has arrived of some tensors; all of it is of one run. */
export class Live {
  found: Readonly<Record<string, Numbers>> = $state.raw({});
  /** The tokens that these numbers are of. */
  tokens: readonly string[] = $state.raw([]);

  constructor(wish: () => { explorer: Explorer; names: readonly string[] }) {
    $effect(() => {
      const { explorer, names } = wish();
      const { run, graph } = explorer;
      if (!run) return;
      let wanted = true;
      const known = [...new Set(names)].filter((name) => graph.resolve(name) in run.shapes);
      const read = async (name: string) => {
        const own = graph.resolve(name);
        return [name, { shape: run.shapes[own], numbers: await run.tensor(own) }] as const;
      };
      void Promise.all(known.map(read)).then((found) => {
        if (wanted) [this.found, this.tokens] = [Object.fromEntries(found), run.tokens];
      });
      return () => (wanted = false);
    });
  }
}
