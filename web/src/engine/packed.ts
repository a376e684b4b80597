/** Arrays in one row of bytes, as Python packs them. */

import { size, type Tensor } from "./tensor";

/**
 * Tensors by name, each a view into one buffer.
 *
 * @param slots where each lies, counted in numbers.
 * @param base64 float32, little endian, as every browser's machine reads it.
 */
export function unpack(
  slots: Readonly<Record<string, { shape: number[]; offset: number }>>,
  base64: string,
): Map<string, Tensor> {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const numbers = new Float32Array(bytes.buffer);
  return new Map(
    Object.entries(slots).map(([name, { shape, offset }]) => [
      name,
      { shape, data: numbers.subarray(offset, offset + size(shape)) },
    ]),
  );
}
