/** How a number that a text quotes reads when it is another: as the text wrote it. */

import { figure } from "../ops/figures";

/** A value in the manner of `text`: as many decimals, as a share, or with its bounds. */
export function like(text: string, value: number): string {
  if (!Number.isFinite(value)) return figure(value);
  if (text.endsWith("%")) return share(value);
  const [, decimals] = text.split(".");
  return value.toFixed(decimals?.length ?? 0);
}

/** As `percent` of pellucid/tour/phrases.py. */
function share(value: number): string {
  if (value > 0 && value < 0.0005) return "<0.1%";
  return value >= 0.9995 && value < 1 ? ">99.9%" : `${(100 * value).toFixed(1)}%`;
}
