/** A matrix drawn on a canvas, with its labels and numbers, in the colours of the page. */

import { hue, type Look, strength } from "./look";
import { short } from "./number";
import { labelOf, numberAt, type Shown } from "./shown";
import { colour } from "./theme.svelte";

/** In pixels: a cell with its number, the room for labels, and the most that a side may take. */
const CELL = { width: 64, height: 26 };
const MARGIN = { left: 110, top: 56 };
const MOST = 8000;

/** Draw as much of a matrix as an image can hold. */
export function picture(shown: Shown, look: Look): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  const rows = Math.min(shown.layout.height, Math.floor(MOST / CELL.height));
  const columns = Math.min(shown.layout.width, Math.floor(MOST / CELL.width));
  canvas.width = MARGIN.left + columns * CELL.width + 8;
  canvas.height = MARGIN.top + rows * CELL.height + 8;
  const pen = canvas.getContext("2d", { willReadFrequently: true })!;
  pen.fillStyle = colour("--paper");
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.textBaseline = "middle";
  write(pen, shown.name, 8, 16, canvas.width - 16, "bold 14px system-ui, sans-serif");
  for (let j = 0; j < columns; j++) {
    const x = MARGIN.left + j * CELL.width;
    write(pen, labelOf(shown, "columns", j), x + 6, 42, CELL.width - 8);
  }
  for (let i = 0; i < rows; i++) {
    const y = MARGIN.top + (i + 0.5) * CELL.height;
    write(pen, labelOf(shown, "rows", i), 8, y, MARGIN.left - 16);
    for (let j = 0; j < columns; j++) cell(pen, shown, look, i, j);
  }
  return canvas;
}

function cell(
  pen: CanvasRenderingContext2D,
  shown: Shown,
  look: Look,
  row: number,
  column: number,
): void {
  const value = numberAt(shown, row, column)!;
  const x = MARGIN.left + column * CELL.width;
  const y = MARGIN.top + row * CELL.height;
  const much = strength(look, value);
  pen.globalAlpha = much;
  pen.fillStyle = colour(hue(look, value));
  pen.fillRect(x, y, CELL.width - 1, CELL.height - 1);
  pen.globalAlpha = 1;
  pen.strokeStyle = colour("--grid");
  pen.strokeRect(x + 0.5, y + 0.5, CELL.width - 2, CELL.height - 2);
  const ink = standingOut(pen.getImageData(x + 2, y + 2, 1, 1).data);
  write(pen, short(value), x + 6, y + CELL.height / 2, CELL.width - 10, MONO, ink);
}

/** Black or white, whichever stands out more from a colour; by its luminance as in WCAG 2. */
function standingOut(pixel: Uint8ClampedArray): string {
  const [r, g, b] = [...pixel.slice(0, 3)].map((value) => ((value / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}

const SANS = "12px system-ui, sans-serif";
const MONO = "12px ui-monospace, Consolas, monospace";

function write(
  pen: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  room: number,
  font = SANS,
  ink = colour("--ink"),
): void {
  pen.font = font;
  pen.fillStyle = ink;
  pen.fillText(text, x, y, room);
}
