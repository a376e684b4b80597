/** The way from the number where one started to the one that is chosen. */

import type { Layer } from "../doing/setting";
import type { ExplanationData } from "../wire";

/** A number on the way. */
export interface Stop {
  readonly name: string;
  readonly index: readonly number[];
  readonly where: string;
  readonly layer: Layer;
}

/** An explained number as a place to come back to, and the layer that it was looked at in. */
export function stopOf({ name, cell, where }: ExplanationData, layer: Layer): Stop {
  // A cell names its places in the order of the tensor's dims.
  return { layer, name, index: Object.values(cell), where };
}
