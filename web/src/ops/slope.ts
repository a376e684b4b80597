/** How the cells of an output move with one cell of an operand; as `Slope` in pellucid/ops. */

import type { Operands, Place } from "./term";

/** Which operand moves: `input 0`, `parameter 1`, …. */
export type Operand = `${"input" | "parameter"} ${number}`;

export interface Slope {
  /** The cells of the output, a place or a list of them along each dim. */
  readonly index: readonly Place[];
  /** How much each of them moves; without a name where this is no tensor's cell. */
  readonly via: Operands;
  /** Only made when somebody reads them: gradients of whole tensors have thousands. */
  readonly formula: () => string;
  readonly latex: () => string;
  /** What the values of `via` are multiplied by. */
  readonly scale?: number;
  /** What errors of rounding are measured by; the sizes of `via` unless given. */
  readonly sizes?: Float64Array;
}

const ROLE = "local derivative";

/** A number that is handed on as it is, to these cells of the output. */
export function unchanged(...index: readonly Place[]): Slope {
  const cells = index.find((place) => typeof place !== "number")?.length ?? 1;
  return { index, via: constants(1, cells), formula: () => "1", latex: () => "1" };
}

/** A local derivative that depends on no other number, for so many cells. */
export function constants(number: number, cells = 1): Operands {
  return workedOut(new Float64Array(cells).fill(number));
}

/** Local derivatives that are no tensor's cells. */
export function workedOut(values: Float64Array): Operands {
  return { role: ROLE, name: "", index: [], values };
}

/** Nothing moves. */
export function still(index: readonly Place[], why: string): Slope {
  return { index, via: constants(0), formula: () => why, latex: () => "0" };
}

/** 0, 1, … up to a length. */
export function upTo(length: number): number[] {
  return Array.from({ length }, (_, i) => i);
}
