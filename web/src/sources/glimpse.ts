/** A tensor at a glance: how far its numbers reach, and each pixel's largest; pellucid/serve/glimpse.py. */

import { slice, type Tensor } from "../engine/tensor";
import { reach } from "../ops/term";
import type { At } from "./source";

/** Of all numbers of a tensor. */
export interface Extent {
  /** The size of the largest that is finite. */
  readonly reach: number;
  readonly endless: boolean;
  readonly none: boolean;
}

export interface Glimpse {
  readonly extent: Extent;
  /** For each pixel, row by row, the number farthest from zero under it; NaN where one is none. */
  readonly pixels: Float32Array;
}

export function extentOf(numbers: Float32Array): Extent {
  return {
    reach: reach(numbers),
    endless: numbers.some((value) => Math.abs(value) === Infinity),
    none: numbers.some((value) => Number.isNaN(value)),
  };
}

/** What remains of a tensor at these places, at a glance. */
export function glimpseAt(
  tensor: Tensor,
  dims: readonly string[],
  at: At,
  most: Readonly<Record<string, number>>,
): Glimpse {
  const kept = dims.filter((dim) => typeof at[dim] !== "number");
  return glimpseOf(
    slice(tensor, dims, at),
    kept.map((dim) => most[dim] ?? Infinity),
  );
}

/** @param most pixels along each dim of the tensor, of which there are two at most. */
export function glimpseOf({ data, shape }: Tensor, most: readonly number[]): Glimpse {
  const [height, width] = [1, 1, ...shape].slice(-2);
  const [down, across] = [1, 1, ...shape.map((size, i) => Math.min(size, most[i]))].slice(-2);
  const pixels = new Float32Array(down * across);
  for (let y = 0; y < down; y++) {
    for (let x = 0; x < across; x++) {
      pixels[y * across + x] = largest(data, width, [y, down, height], [x, across, width]);
    }
  }
  return { extent: extentOf(data), pixels };
}

/** A pixel of so many, over so many cells. */
type Pixel = readonly [pixel: number, pixels: number, cells: number];

/**
 * The number farthest from zero under a pixel; of two that are equally far, the positive one. NaN
 * where one of them is none.
 */
function largest(data: Float32Array, width: number, down: Pixel, across: Pixel): number {
  let [low, high] = [0, 0];
  for (let i = first(down); i < end(down); i++) {
    for (let j = first(across); j < end(across); j++) {
      const value = data[i * width + j];
      if (Number.isNaN(value)) return value;
      if (!Number.isFinite(value)) continue;
      if (value > high) high = value;
      else if (value < low) low = value;
    }
  }
  return -low > high ? low : high;
}

function first([pixel, pixels, cells]: Pixel): number {
  return Math.floor((pixel * cells) / pixels);
}

function end([pixel, pixels, cells]: Pixel): number {
  return Math.floor(((pixel + 1) * cells) / pixels);
}
