/** How one number was made, as data; as in pellucid/ops/term.py. */

/** A place along a dim, or a place for each of several cells. */
export type Place = number | readonly number[];
/** Every place along a dim. */
export const ALL = Symbol("every place");
export type Places = readonly (Place | typeof ALL)[];

/** Cells of one tensor in one role. */
export interface Operands {
  readonly role: string;
  readonly name: string;
  readonly index: readonly Place[];
  readonly values: Float64Array;
}

/** Products to be added up: the places of the operands that are multiplied, and a number. */
export interface Summand {
  readonly factors: readonly number[];
  readonly scale: number;
}

/** How an operation made one cell: a sum of products, or what `rule` makes of the operands. */
export interface Derivation {
  readonly operands: readonly Operands[];
  readonly formula: string;
  readonly latex: string;
  readonly substituted: string;
  readonly summands: readonly Summand[];
  readonly rule?: (...values: Float64Array[]) => number;
  /** What each of the first operands weighs where that is no product. */
  readonly weights?: (...values: Float64Array[]) => Float64Array;
  /** What errors of rounding are measured by; the sum of the absolute products unless given. */
  readonly rounding?: number;
}

export function summand(factors: readonly number[], scale = 1): Summand {
  return { factors, scale };
}

/** The index of the i-th of some operands. */
export function cellOf(operands: Operands, i: number): number[] {
  return operands.index.map((place) => (typeof place === "number" ? place : place[i]));
}

/** The value, worked out again from the operands. */
export function recompute(derivation: Derivation): number {
  const values = derivation.operands.map((operands) => operands.values);
  if (derivation.rule) return derivation.rule(...values);
  return derivation.summands.reduce((sum, each) => sum + total(products(each, values)), 0);
}

/** What each product adds, a row for each summand; or the first operands' weights. */
export function contributions(derivation: Derivation): Float64Array[] {
  const values = derivation.operands.map((operands) => operands.values);
  if (derivation.weights) return [derivation.weights(...values)];
  return derivation.summands.map((each) => products(each, values));
}

/** What rounding errors are measured by. */
export function roundingSize(derivation: Derivation): number {
  if (derivation.rounding !== undefined) return derivation.rounding;
  const finite = contributions(derivation).map((row) => row.filter(Number.isFinite).map(Math.abs));
  return finite.reduce((sum, row) => sum + total(row), 0);
}

/** The products of a summand; a factor that stands alone serves all. */
function products(each: Summand, values: readonly Float64Array[]): Float64Array {
  const factors = each.factors.map((i) => values[i]);
  const count = Math.max(...factors.map((factor) => factor.length));
  return Float64Array.from({ length: count }, (_, i) =>
    factors.reduce((product, f) => product * f[f.length === 1 ? 0 : i], each.scale),
  );
}

export function total(numbers: Float64Array): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** The largest of the finite numbers, whatever their sign. */
export function reach(numbers: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < numbers.length; i++) {
    if (Number.isFinite(numbers[i])) largest = Math.max(largest, Math.abs(numbers[i]));
  }
  return largest;
}
