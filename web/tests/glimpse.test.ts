/** A tensor at a glance, and windows of it. */

import { expect, test } from "vitest";
import { slice } from "../src/engine/tensor";
import { glimpseAt } from "../src/sources/glimpse";

const tensor = {
  shape: [2, 3, 4],
  data: Float32Array.from({ length: 24 }, (_, i) => (i % 5 === 0 ? -i : i)),
};
const dims = ["head", "query", "key"];

test("a window of a tensor is its numbers there, row by row", () => {
  const found = slice(tensor, dims, { head: 1, query: [1, 3], key: [2, 4] });
  expect(found.shape).toEqual([2, 2]);
  expect([...found.data]).toEqual([18, 19, 22, 23]);
});

test("each pixel is the number farthest from zero under it, of all of which none is left out", () => {
  const { extent, pixels } = glimpseAt(tensor, dims, { head: 1 }, { query: 2, key: 2 });
  expect([...pixels]).toEqual([13, -15, 21, 23]);
  expect(extent).toEqual({ reach: 23, endless: false, none: false });
});

test("what is infinite is told, and passed over; what is no number stays so", () => {
  const odd = { shape: [4], data: Float32Array.of(-Infinity, -2, NaN, 1) };
  const { extent, pixels } = glimpseAt(odd, ["key"], {}, { key: 2 });
  expect(extent).toEqual({ reach: 2, endless: true, none: true });
  expect([...pixels]).toEqual([-2, NaN]);
});
