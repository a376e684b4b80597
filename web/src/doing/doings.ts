/** What can be done with a model besides looking: each opens in the drawer below the stage. */

import type { Component } from "svelte";
import type { Explorer } from "../page/explorer.svelte";
import Backward from "./Backward.svelte";
import Film from "./Film.svelte";
import SamplingLadder from "./SamplingLadder.svelte";
import WhatIf from "./WhatIf.svelte";

export interface Doing {
  /** Its name in the address, `do=sampling`. */
  readonly id: string;
  /** What its tab says. */
  readonly title: string;
  readonly component: Component<{ explorer: Explorer }>;
  /** Whether this page can do it: not without a tokenizer, gradients or a film, for some. */
  offered(explorer: Explorer): boolean;
}

/** In the order of their tabs. */
export const DOINGS: readonly Doing[] = [
  {
    id: "sampling",
    title: "Sampling",
    component: SamplingLadder,
    offered: () => true,
  },
  {
    id: "what-if",
    title: "What if",
    component: WhatIf,
    offered: ({ computes }) => computes,
  },
  {
    id: "backward",
    title: "Backward",
    component: Backward,
    offered: ({ computes, page }) => computes || page.trace?.targets != null,
  },
  {
    id: "training",
    title: "Training",
    component: Film,
    offered: ({ page }) => page.film !== null,
  },
];
