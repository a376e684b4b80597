/** Normalisation: what layer norm and RMS norm have in common. */

import { type Tensor, width, zeros } from "../engine/tensor";
import type { Evidence } from "./evidence";
import { sumOfProducts } from "./figures";
import { type Derivation, summand } from "./term";

export interface NormSettings {
  beta: string | null;
  epsilon: number;
  /** Whether each head, the first dim, has a gain and a shift of its own. */
  by_head: boolean;
  /** Whether the gain is `1 + gamma`. */
  unit_offset: boolean;
}

/** `normalized · gain + beta`. */
export function gained(
  normalized: Tensor,
  [gamma, beta]: readonly Tensor[],
  { by_head, unit_offset }: NormSettings,
): Tensor {
  const out = zeros(normalized.shape);
  const length = width(normalized);
  // All rows of a head: its positions.
  const headSize = by_head ? out.data.length / normalized.shape[0] : out.data.length;
  for (let i = 0; i < out.data.length; i++) {
    const place = Math.floor(i / headSize) * length + (i % length);
    const gain = unit_offset ? gamma.data[place] + 1 : gamma.data[place];
    out.data[i] = normalized.data[i] * gain + (beta ? beta.data[place] : 0);
  }
  return out;
}

/** The normalised number times its gain, and its shift. */
export function explainGained(
  seen: Evidence,
  cell: readonly number[],
  { beta: hasShift, by_head, unit_offset }: NormSettings,
): Derivation {
  const column = cell[cell.length - 1];
  const place = by_head ? [cell[0], column] : [column];
  const [normalized, gamma] = [seen.extra("normalized"), seen.parameter(0)];
  const operands = [normalized.at("normalized", ...cell), gamma.at("gamma", ...place)];
  const gain = operands[1].values.map((number) => (unit_offset ? number + 1 : number));
  const beta = hasShift === null ? null : seen.parameter(1);
  const shift = beta ? [beta.at("beta", ...place)] : [];
  const said = gainInWords(gamma.say(...place), unit_offset);
  const tex = gainInWords(gamma.tex(...place), unit_offset);
  return {
    operands: [...operands, ...shift],
    formula: `${normalized.say(...cell)} · ${said}${beta ? ` + ${beta.say(...place)}` : ""}`,
    latex: `${normalized.tex(...cell)} \\cdot ${tex}${beta ? ` + ${beta.tex(...place)}` : ""}`,
    substituted: sumOfProducts(
      [operands[0].values, gain],
      shift.map((each) => each.values[0]),
    ),
    summands: [
      summand([0, 1]),
      ...(unit_offset ? [summand([0])] : []),
      ...(beta ? [summand([2])] : []),
    ],
  };
}

/** The gain as a factor of a formula. */
function gainInWords(gamma: string, unitOffset: boolean): string {
  return unitOffset ? `(1 + ${gamma})` : gamma;
}
