/** SiLU: each number times the share of a logistic distribution that lies below it. */

import type { Operation } from "./operation";
import { smoothGate } from "./smooth_gate";

/** `x · σ(steepness · x)`; by tanh, which overflows nowhere. */
function logisticGate(steepness: number): Operation {
  return smoothGate({
    extra: "sigmoid",
    letter: "σ",
    letterInLatex: "\\sigma",
    share: (x) => (Math.tanh((x * steepness) / 2) + 1) / 2,
    density: (_, share) => share * (1 - share) * steepness,
    argument: (x) => (steepness === 1 ? x : `${steepness} · ${x}`),
  });
}

/** `x · σ(x)`. */
export const silu = logisticGate(1);

/** `x · σ(1.702 · x)`: GELU, nearly. */
export const geluQuick = logisticGate(1.702);
