/** What comes next: the tokens that are likeliest after the text. */

import { best } from "../sampling/filters";
import type { Run } from "../sources/source";

export interface Coming {
  readonly id: number;
  readonly share: number;
}

/** So many of the likeliest tokens after a run's last one, the likeliest first. */
export async function comingAfter(run: Run, count: number): Promise<Coming[]> {
  const shares = await run.tensor("probs", { position: run.ids.length - 1 });
  return best(Float64Array.from(shares), count).map((id) => ({ id, share: shares[id] }));
}
