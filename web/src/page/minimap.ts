/** A whole matrix in a small picture: each pixel shows the largest number of those that it covers. */

import { hue, type Look, strength } from "./look";
import { glimpseOf } from "../sources/glimpse";
import type { Shown } from "./shown";
import { colour } from "./theme.svelte";

/** The most room that the picture takes, in CSS pixels, and the size of a cell where all fit. */
export const ROOM = { width: 320, height: 96 };
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
  pixelsOf(shown).forEach((value, pixel) => {
    const none = Number.isNaN(value);
    pen.globalAlpha = none ? 1 : strength(look, value);
    pen.fillStyle = none ? wrong : inks[hue(look, value) as keyof typeof inks];
    pen.fillRect(pixel % canvas.width, Math.floor(pixel / canvas.width), 1, 1);
  });
}

/** The number under each pixel: as they came, or worked out of all that there are. */
function pixelsOf({ pixels, numbers, layout: { height, width } }: Shown): Float32Array {
  if (pixels) return pixels;
  return glimpseOf({ data: numbers, shape: [height, width] }, [ROOM.height, ROOM.width]).pixels;
}
