/** GELU: each number times the share of a normal distribution that lies below it. */

import { erf } from "./erf";
import { smoothGate } from "./smooth_gate";

const NORMAL = {
  extra: "cdf",
  letter: "Φ",
  letterInLatex: "\\Phi",
  argument: (x: string) => x,
};

/** With the exact distribution, `Φ(x) = (1 + erf(x/√2)) / 2`. */
export const gelu = smoothGate({ ...NORMAL, share: (x) => (erf(x * Math.SQRT1_2) + 1) / 2 });

/** With the approximation `Φ(x) ≈ (1 + tanh(√(2/π) · (x + 0.044715·x³))) / 2`. */
export const geluTanh = smoothGate({
  ...NORMAL,
  share: (x) => (Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)) + 1) / 2,
});
