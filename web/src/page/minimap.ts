/** A whole matrix in a small picture: each pixel shows the largest number of those that it covers. */

import { hue, type Look, strength } from "./look";
import { numberAt, type Shown } from "./shown";
import { colour } from "./theme.svelte";

/** The most room that the picture takes, in CSS pixels, and the size of a cell where all fit. */
const ROOM = { width: 320, height: 96 };
const CELL = 4;

export function sizeOf(height: number, width: number): { height: number; width: number } {
  return {
    height: Math.max(Math.min(ROOM.height, height * CELL), 6),
    width: Math.max(Math.min(ROOM.width, width * CELL), 6),
  };
}

/** Draw at most as many pixels as there is room for. */
export function drawWhole(canvas: HTMLCanvasElement, shown: Shown, look: Look): void {
  const { height, width } = shown.layout;
  canvas.height = Math.min(height, ROOM.height);
  canvas.width = Math.min(width, ROOM.width);
  const pen = canvas.getContext("2d")!;
  const wrong = colour("--not-a-number");
  const inks = { "--positive": "", "--negative": "", "--probability": "" };
  for (const name of Object.keys(inks) as (keyof typeof inks)[]) inks[name] = colour(name);
  for (let y = 0; y < canvas.height; y++) {
    for (let x = 0; x < canvas.width; x++) {
      const value = largest(shown, [y, canvas.height, height], [x, canvas.width, width]);
      const none = Number.isNaN(value);
      pen.globalAlpha = none ? 1 : strength(look, value);
      pen.fillStyle = none ? wrong : inks[hue(look, value) as keyof typeof inks];
      pen.fillRect(x, y, 1, 1);
    }
  }
}

/** A pixel of so many, over so many cells. */
type Pixel = readonly [pixel: number, pixels: number, cells: number];

/** The number farthest from zero under a pixel; NaN where one of them is none. */
function largest(shown: Shown, down: Pixel, across: Pixel): number {
  let found = 0;
  for (let i = first(down); i < end(down); i++) {
    for (let j = first(across); j < end(across); j++) {
      const value = numberAt(shown, i, j);
      if (Number.isNaN(value)) return value;
      if (Number.isFinite(value) && Math.abs(value) > Math.abs(found)) found = value;
    }
  }
  return found;
}

function first([pixel, pixels, cells]: Pixel): number {
  return Math.floor((pixel * cells) / pixels);
}

function end([pixel, pixels, cells]: Pixel): number {
  return Math.max(Math.floor(((pixel + 1) * cells) / pixels), first([pixel, pixels, cells]) + 1);
}
