/** How numbers read on the page; every number goes through here. */

import { figure } from "../ops/figures";
import type { Spelled } from "../wire";

/** A number in a cell: three significant digits. */
export function short(value: number): string {
  return figure(value, 3);
}

/** A number by itself: six. */
export function long(value: number): string {
  return figure(value, 6);
}

/** A share of the whole, `68.6 %`. */
export function percent(share: number): string {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  return `${(100 * share).toFixed(1)} %`;
}

/** A number from what JSON can hold. */
export function asNumber(value: Spelled): number {
  return typeof value === "number" ? value : Number(value);
}
