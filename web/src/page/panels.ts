/** A whole tensor as pictures: one matrix, or one for each of its heads. */

import { type Layout, indexAt, layoutOf } from "./layout";

/** A tensor of more numbers is drawn for one head alone. */
const MOST = 2 ** 20;

/**
 * The matrices that a tensor is drawn as.
 *
 * @param head the head to draw where all would be too many.
 */
export function panelsOf(
  dims: readonly string[],
  shape: readonly number[],
  head: number,
  heads: number,
): Layout[] {
  const one = layoutOf(dims, shape, head, heads);
  const size = shape.reduce((product, length) => product * length, 1);
  const turned = dims.findIndex((dim) => dim === "head" || dim === "kv_head");
  if (turned < 0 || dims.length < 3 || size > MOST) return [one];
  const each = heads / shape[turned];
  return Array.from({ length: shape[turned] }, (_, i) => layoutOf(dims, shape, i * each, heads));
}

/** The numbers of one of these matrices, row by row, out of all of the tensor's. */
export function numbersIn(
  numbers: Float32Array,
  dims: readonly string[],
  shape: readonly number[],
  panel: Layout,
): Float32Array {
  const found = new Float32Array(panel.height * panel.width);
  for (let row = 0; row < panel.height; row++) {
    for (let column = 0; column < panel.width; column++) {
      const index = indexAt(dims, panel, row, column);
      found[row * panel.width + column] = numbers[flat(index, shape)];
    }
  }
  return found;
}

/** Where a cell lies among numbers that stand row by row. */
function flat(index: readonly number[], shape: readonly number[]): number {
  return index.reduce((place, i, axis) => place * shape[axis] + i, 0);
}
