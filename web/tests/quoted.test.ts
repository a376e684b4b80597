/** A number that changes reads as the text wrote the one before. */

import { expect, test } from "vitest";
import { like } from "../src/tour/quoted";

test("as many decimals as there were", () => {
  expect(like("0.562", -1.23456)).toBe("-1.235");
  expect(like("12", 3)).toBe("3");
  expect(like("0.99979", 0.5)).toBe("0.50000");
});

test("shares are shares, and nearly none or all says so", () => {
  expect(like("72.8%", 0.1)).toBe("10.0%");
  expect(like(">99.9%", 0.00001)).toBe("<0.1%");
  expect(like("72.8%", 0.99999)).toBe(">99.9%");
  expect(like("72.8%", 1)).toBe("100.0%");
});

test("what is no number has a sign", () => {
  expect(like("0.562", -Infinity)).toBe("−∞");
  expect(like("1.0%", NaN)).toBe("NaN");
});
