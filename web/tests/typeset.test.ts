/** Running text has a minus where it has a number below zero, and hyphens elsewhere. */

import { expect, test } from "vitest";
import { typeset } from "../src/tour/typeset";

test("a number below zero has a minus", () => {
  expect(typeset("-0.095; from -1 to 2 (-3), =-4")).toBe("−0.095; from −1 to 2 (−3), =−4");
});

test("words, options, exponents and dates keep their hyphens", () => {
  const text = "top-5 of GPT-2, --part 4, feed-forward, 1e-05, 2026-12-01";
  expect(typeset(text)).toBe(text);
});
