/** The grid of layers × heads, and the pattern of one head, as pictures. */

import type { LayerMeasure } from "./overview";
import { colour } from "./theme";

interface Place {
  readonly layer: number;
  readonly column: number;
}

export interface GridPicture {
  readonly layers: readonly LayerMeasure[];
  readonly columns: number;
  /** The number that has the full colour. */
  readonly limit: number;
  /** What is pointed at, and what is on the stage. */
  readonly at: Place;
  readonly here: Place | null;
  /** In CSS pixels. */
  readonly cellHeight: number;
  readonly width: number;
}

/** Layer 0 at the bottom, as the stack stands. */
export function drawGrid(canvas: HTMLCanvasElement, picture: GridPicture): void {
  const { layers, columns, cellHeight, width } = picture;
  const height = layers.length * cellHeight;
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d")!;
  pen.scale(scale, scale);
  const cell = { width: width / columns, height: cellHeight, top: height };
  const [full, line] = [colour("--probability"), colour("--grid")];
  layers.forEach(({ heads, mlp }, layer) => {
    [...heads, ...(mlp === null ? [] : [mlp])].forEach((value, column) => {
      const box = boxOf(cell, { layer, column });
      pen.fillStyle = full;
      pen.globalAlpha = Math.min(value / picture.limit, 1);
      pen.fillRect(...box);
      pen.globalAlpha = 1;
      pen.strokeStyle = line;
      pen.strokeRect(...box);
    });
  });
  if (picture.here) frame(pen, boxOf(cell, picture.here), colour("--chosen"));
  frame(pen, boxOf(cell, picture.at), colour("--ink"));
}

/** A pattern, one pixel for each number. */
export function drawPattern(canvas: HTMLCanvasElement, pattern: Float32Array, size: number): void {
  canvas.width = canvas.height = size;
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = colour("--paper");
  pen.fillRect(0, 0, size, size);
  pen.fillStyle = colour("--probability");
  pattern.forEach((share, i) => {
    pen.globalAlpha = share;
    pen.fillRect(i % size, Math.floor(i / size), 1, 1);
  });
}

type Box = [x: number, y: number, width: number, height: number];

function boxOf(
  cell: { width: number; height: number; top: number },
  { layer, column }: Place,
): Box {
  const y = cell.top - (layer + 1) * cell.height;
  return [column * cell.width + 0.5, y + 0.5, cell.width - 1, cell.height - 1];
}

function frame(pen: CanvasRenderingContext2D, box: Box, ink: string): void {
  pen.strokeStyle = ink;
  pen.lineWidth = 2;
  pen.strokeRect(...box);
  pen.lineWidth = 1;
}
