/** Numbers with a shape, row by row; every tensor of the page. There is no batch dim here. */
export interface Tensor {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/** A tensor of zeros, to be filled by whoever makes it. */
export function zeros(shape: readonly number[]): Tensor {
  return { data: new Float32Array(size(shape)), shape };
}

/** Whole numbers or others along one dim. */
export function vector(numbers: ArrayLike<number>): Tensor {
  return { data: Float32Array.from(numbers), shape: [numbers.length] };
}

/** How many numbers a tensor of this shape holds. */
export function size(shape: readonly number[]): number {
  return shape.reduce((product, length) => product * length, 1);
}

/** The last length of a shape: how many numbers a row has. */
export function width(tensor: Tensor): number {
  return tensor.shape[tensor.shape.length - 1];
}

/** The same numbers, each by itself turned into another. */
export function mapped(tensor: Tensor, change: (number: number) => number): Tensor {
  const out = zeros(tensor.shape);
  for (let i = 0; i < out.data.length; i++) out.data[i] = change(tensor.data[i]);
  return out;
}

/** Two tensors of one shape, cell by cell. */
export function joined(a: Tensor, b: Tensor, join: (a: number, b: number) => number): Tensor {
  const out = zeros(a.shape);
  for (let i = 0; i < out.data.length; i++) out.data[i] = join(a.data[i], b.data[i]);
  return out;
}

/** Where a cell lies in the data. */
export function offset(shape: readonly number[], cell: readonly number[]): number {
  return cell.reduce((at, place, dim) => at * shape[dim] + place, 0);
}

/** The number in a cell. */
export function at(tensor: Tensor, cell: readonly number[]): number {
  return tensor.data[offset(tensor.shape, cell)];
}

/**
 * What remains of a tensor at these places along some of its dims, in the order of the rest.
 *
 * @param places one, which leaves no dim, or those from one on and before another.
 */
export function slice(
  tensor: Tensor,
  dims: readonly string[],
  places: Readonly<Record<string, number | readonly [number, number]>>,
): Tensor {
  const spans = dims.map((dim, i) => spanOf(places[dim], tensor.shape[i]));
  const kept = dims.map((_, i) => i).filter((i) => typeof places[dims[i]] !== "number");
  const out = zeros(kept.map((i) => spans[i][1] - spans[i][0]));
  const cell = spans.map(([start]) => start);
  for (let to = 0; to < out.data.length; to++) {
    let rest = to;
    for (const i of [...kept].reverse()) {
      const [start, stop] = spans[i];
      cell[i] = start + (rest % (stop - start));
      rest = Math.floor(rest / (stop - start));
    }
    out.data[to] = at(tensor, cell);
  }
  return out;
}

function spanOf(
  place: number | readonly [number, number] | undefined,
  length: number,
): readonly [number, number] {
  return typeof place === "number" ? [place, place + 1] : (place ?? [0, length]);
}
