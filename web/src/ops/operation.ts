/** What an operation is: one named step of the decoder, forwards and explained. */

import { type Tensor, zeros } from "../engine/tensor";
import type { Evidence } from "./evidence";
import type { Inside } from "./inside";
import type { Operand, Slope } from "./slope";
import type { Derivation, Place } from "./term";

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
  /** How it comes apart, where it keeps intermediates that an edit may change. */
  readonly parts?: Parts<Settings>;
}

/** What a part reads: `input 0`, or an extra by its name. */
export type Read = string;

/** An operation as one step for each extra, and one for its output, which is called "". */
export interface Parts<Settings = unknown> {
  /** What each is made of, in the order in which they are made. */
  inside(settings: Settings): Inside;
  /** One of them by itself: all of them, one after the other, give what `forward` gives. */
  make(
    part: string,
    given: readonly Tensor[],
    parameters: readonly Tensor[],
    settings: Settings,
  ): Tensor;
  /** The cells of a part that move with a cell of what it reads, and how much each of them does. */
  moved(
    part: string,
    read: Read,
    seen: Evidence,
    cell: readonly number[],
    settings: Settings,
  ): Moved;
}

export interface Moved {
  readonly index: readonly Place[];
  readonly values: Float64Array;
}

/** Run an operation as its parts, one after the other. */
export function inTurn<Settings>(parts: Parts<Settings>): Operation<Settings>["forward"] {
  return (inputs, parameters, settings) => {
    const inside = parts.inside(settings);
    const known = new Map<Read, Tensor>(inputs.map((input, i) => [`input ${i}`, input]));
    for (const [part, reads] of inside) {
      const given = reads.map((read) => known.get(read)!);
      known.set(part, parts.make(part, given, parameters, settings));
    }
    const extras = [...inside.keys()].filter((part) => part !== "");
    return made(known.get("")!, ...extras.map((extra) => known.get(extra)!));
  };
}

/** A number of each row, which stands along the last dim. */
export function byRow(
  { data, shape }: Tensor,
  of: (row: Float64Array, i: number) => number,
): Tensor {
  const length = shape[shape.length - 1];
  const out = zeros(shape.slice(0, -1));
  for (let i = 0; i < out.data.length; i++) {
    out.data[i] = of(Float64Array.from(data.subarray(i * length, (i + 1) * length)), i);
  }
  return out;
}

/** Each number as something makes it out of itself and its row. */
export function inRows(x: Tensor, of: (number: number, row: number) => number): Tensor {
  const [out, length] = [zeros(x.shape), x.shape[x.shape.length - 1]];
  for (let i = 0; i < out.data.length; i++) out.data[i] = of(x.data[i], Math.floor(i / length));
  return out;
}

/** A step's output alone. */
export function made(output: Tensor, ...extras: Tensor[]): Made {
  return { output, extras };
}
