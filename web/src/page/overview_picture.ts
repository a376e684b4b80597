/** The grid of layers × heads, and the pattern of one head, as pictures. */

import type { LayerMeasure } from "./overview";
import { colour } from "./theme.svelte";

export interface GridPicture {
  readonly layers: readonly LayerMeasure[];
  readonly columns: number;
  /** The numbers that have the full colour. */
  readonly limits: { readonly heads: number; readonly mlp: number };
  /** In CSS pixels. */
  readonly cellHeight: number;
  readonly width: number;
}

/** Layer 0 at the bottom, as the stack stands. */
export function drawGrid(canvas: HTMLCanvasElement, picture: GridPicture): void {
  const { layers, columns, limits, cellHeight, width } = picture;
  const height = layers.length * cellHeight;
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d")!;
  pen.scale(scale, scale);
  const cell = width / columns;
  const [share, wrong] = [colour("--probability"), colour("--not-a-number")];
  pen.strokeStyle = colour("--grid");
  layers.forEach(({ heads, mlp }, layer) => {
    [...heads, ...(mlp === null ? [] : [mlp])].forEach((value, column) => {
      const y = height - (layer + 1) * cellHeight;
      const box = [column * cell + 0.5, y + 0.5, cell - 1, cellHeight - 1] as const;
      const limit = column < heads.length ? limits.heads : limits.mlp;
      const none = Number.isNaN(value);
      pen.fillStyle = none ? wrong : share;
      pen.globalAlpha = none ? 1 : limit ? Math.min(value / limit, 1) : 0;
      pen.fillRect(...box);
      pen.globalAlpha = 1;
      pen.strokeRect(...box);
    });
  });
}

/** A pattern, one pixel for each number. */
export function drawPattern(canvas: HTMLCanvasElement, pattern: Float32Array, size: number): void {
  canvas.width = canvas.height = size;
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = colour("--paper");
  pen.fillRect(0, 0, size, size);
  const [ink, wrong] = [colour("--probability"), colour("--not-a-number")];
  pattern.forEach((share, i) => {
    const none = Number.isNaN(share);
    pen.fillStyle = none ? wrong : ink;
    pen.globalAlpha = none ? 1 : share;
    pen.fillRect(i % size, Math.floor(i / size), 1, 1);
  });
}
