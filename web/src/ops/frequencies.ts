/** How fast pairs turn: radians per position, which may depend on how long the text is. */

export interface Frequencies {
  each: number[];
  original: number;
  longer: number[];
  growth: number;
}

/** Of each pair, for a text of so many positions; as in pellucid/ops/frequencies.py. */
export function frequenciesAt(frequencies: Frequencies, length: number): number[] {
  const { each, original, longer, growth } = frequencies;
  if (longer.length) return length > original ? longer : each;
  if (!growth) return each;
  // At the original length and below, this is 1.
  const stretch = growth * Math.max(length / original, 1) - (growth - 1);
  return each.map((turns, i) => turns * stretch ** (-i / (each.length - 1)));
}
