/** GELU: each number times the share of a normal distribution that lies below it. */

import { erf } from "./erf";
import { smoothGate } from "./smooth_gate";

const NORMAL = {
  extra: "cdf",
  letter: "Φ",
  letterInLatex: "\\Phi",
  argument: (x: string) => x,
};

const SCALE = Math.sqrt(2 / Math.PI);
const CUBIC = 0.044715;

/** With the exact distribution, `Φ(x) = (1 + erf(x/√2)) / 2`. */
export const gelu = smoothGate({
  ...NORMAL,
  share: (x) => (erf(x * Math.SQRT1_2) + 1) / 2,
  density: (x) => Math.exp((x * x) / -2) / Math.sqrt(2 * Math.PI),
});

/** With the approximation `Φ(x) ≈ (1 + tanh(√(2/π) · (x + 0.044715·x³))) / 2`. */
export const geluTanh = smoothGate({
  ...NORMAL,
  share: (x) => (Math.tanh(SCALE * (x + CUBIC * x ** 3)) + 1) / 2,
  // The slope of tanh(u) / 2 is 2 · share · (1 − share) times that of u.
  density: (x, share) => 2 * share * (1 - share) * SCALE * (1 + 3 * CUBIC * x * x),
});
