/** What an operation is: one named step of the decoder, forwards and explained. */

import type { Tensor } from "../engine/tensor";
import type { Evidence } from "./evidence";
import type { Operand, Slope } from "./slope";
import type { Derivation } from "./term";

/** What a step makes: its output, and the named intermediates that it keeps beside it. */
export interface Made {
  readonly output: Tensor;
  readonly extras: readonly Tensor[];
}

/**
 * One kind of step. `settings` are the fields of the operation in pellucid/ops, under their names.
 *
 * Sums are added up in 64 bits and rounded once, to the 32 of the tensors.
 */
export interface Operation<Settings = unknown> {
  forward(inputs: readonly Tensor[], parameters: readonly Tensor[], settings: Settings): Made;
  /** How one cell of the output, or of an extra, was made; `cell` in the order of its dims. */
  explain(
    seen: Evidence,
    cell: readonly number[],
    settings: Settings,
    extra: string | null,
  ): Derivation;
  /** How the output moves with one cell of an operand, in the order of the operand's dims. */
  slope(seen: Evidence, operand: Operand, cell: readonly number[], settings: Settings): Slope;
}

/** A step's output alone. */
export function made(output: Tensor, ...extras: Tensor[]): Made {
  return { output, extras };
}
