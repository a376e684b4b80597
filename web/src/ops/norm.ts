/** Normalisation: what layer norm and RMS norm have in common. */

import { type Tensor, width, zeros } from "../engine/tensor";
import { asText, type Evidence } from "./evidence";
import { sumOfProducts } from "./figures";
import type { Moved } from "./operation";
import { type Operand, type Slope, unchanged, upTo, workedOut } from "./slope";
import { ALL, type Derivation, type Place, type Places, summand } from "./term";

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

/** A normalised number moves its own output alone, by its gain. */
export function gainMoved(
  seen: Evidence,
  cell: readonly number[],
  { by_head, unit_offset }: NormSettings,
): Moved {
  const column = cell[cell.length - 1];
  const gain = seen.parameter(0).value(...(by_head ? [cell[0], column] : [column]));
  return { index: cell, values: Float64Array.of(unit_offset ? gain + 1 : gain) };
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

/** How the outputs of every position move with one gain or shift. */
export function gainSlope(
  seen: Evidence,
  operand: Operand,
  cell: readonly number[],
  { by_head }: NormSettings,
): Slope {
  const normalized = seen.extra("normalized");
  const column = cell[cell.length - 1];
  const rows = normalized.tensor.shape.slice(0, -1);
  const places: Place[] =
    rows.length === 1
      ? [upTo(rows[0]), column]
      : [...headsAndPositions(by_head ? [cell[0]] : upTo(rows[0]), rows[1]), column];
  if (operand === "parameter 1") return unchanged(...places);
  const said = [by_head ? cell[0] : ALL, ALL, column].slice(-normalized.dims.length) as Places;
  return {
    ...{ index: places, via: normalized.at("local derivative", ...places) },
    ...{ formula: () => normalized.say(...said), latex: () => normalized.tex(...said) },
  };
}

/**
 * How a normalised vector moves with one of its numbers.
 *
 * @param centred whether the mean was taken away: then the vector keeps its sum as well.
 */
export function normSlope(
  seen: Evidence,
  cell: readonly number[],
  { by_head, unit_offset }: NormSettings,
  deviation: string,
  centred: boolean,
): Slope {
  const [row, i] = [cell.slice(0, -1), cell[cell.length - 1]];
  const [normalized, scale, gamma] = [
    seen.extra("normalized"),
    seen.extra(deviation),
    seen.parameter(0),
  ];
  const gains: Places = by_head ? [cell[0], ALL] : [ALL];
  const n = normalized.at("normalized", ...row, ALL).values;
  const g = gamma.at("gamma", ...gains).values.map((gain) => (unit_offset ? gain + 1 : gain));
  const [width, r, one] = [n.length, scale.value(...row), Number(centred)];
  const own = (j: number) => Number(j === i);
  const all: Places = [...row, ALL];
  return {
    index: [...row, upTo(width)],
    via: workedOut(n.map((nj, j) => r * g[j] * (own(j) - (one + n[i] * nj) / width))),
    formula: () => {
      const product = `${normalized.say(...cell)} · ${normalized.say(...all)}`;
      const taken = centred ? `(1 + ${product})` : product;
      const gain = gainInWords(gamma.say(...gains), unit_offset);
      return `${scale.say(...row)} · ${gain} · (${normalized.oneAt(i)} − ${taken} / ${width})`;
    },
    latex: () => {
      const product = `${normalized.tex(...cell)} \\cdot ${normalized.tex(...all)}`;
      const gain = gainInWords(gamma.tex(...gains), unit_offset);
      return (
        `${scale.tex(...row)} \\cdot ${gain} \\left(${asText(normalized.oneAt(i))} - ` +
        `\\frac{${centred ? "1 + " : ""}${product}}{${width}}\\right)`
      );
    },
    sizes: n.map((nj, j) => Math.abs(r * g[j]) * (own(j) + (one + Math.abs(n[i] * nj)) / width)),
  };
}

/** Every position of these heads, one pair for each. */
function headsAndPositions(heads: readonly number[], positions: number): [number[], number[]] {
  return [
    heads.flatMap((head) => new Array<number>(positions).fill(head)),
    heads.flatMap(() => upTo(positions)),
  ];
}

/** The gain as a factor of a formula. */
function gainInWords(gamma: string, unitOffset: boolean): string {
  return unitOffset ? `(1 + ${gamma})` : gamma;
}
