/** One number for every head and every feed-forward network: a model of many layers at a glance. */

import type { Run } from "../sources/source";

/** The numbers of one layer: one for each head, and the feed-forward network's, if it has one. */
export interface LayerMeasure {
  readonly heads: readonly number[];
  readonly mlp: number | null;
}

export interface Measure {
  readonly id: string;
  readonly title: string;
  /** Whether all lie between 0 and 1. */
  readonly share: boolean;
  of(run: Run, layer: number, position: number): Promise<LayerMeasure>;
}

export const MEASURES: readonly Measure[] = [
  {
    id: "first",
    title: "attention to the first token",
    share: true,
    of: async (run, layer, position) => {
      const rows = await patternRows(run, layer, position);
      return { heads: rows.map(([first]) => first), mlp: null };
    },
  },
  {
    id: "itself",
    title: "attention to the token itself",
    share: true,
    of: async (run, layer, position) => {
      const rows = await patternRows(run, layer, position);
      return { heads: rows.map((row) => row[position]), mlp: null };
    },
  },
  {
    id: "size",
    title: "size of the output",
    share: false,
    of: async (run, layer, position) => {
      const z = await run.tensor(`blocks.${layer}.attn.z`, { position });
      const [heads] = run.shapes[`blocks.${layer}.attn.z`];
      const mlp = `blocks.${layer}.mlp.out`;
      const out = mlp in run.shapes ? await run.tensor(mlp, { position }) : null;
      return { heads: rowsOf(z, heads).map(norm), mlp: out && norm(out) };
    },
  },
];

/** What each head's query at a position gives to every key. */
async function patternRows(run: Run, layer: number, position: number): Promise<Float32Array[]> {
  const name = `blocks.${layer}.attn.pattern`;
  return rowsOf(await run.tensor(name, { query: position }), run.shapes[name][0]);
}

function rowsOf(numbers: Float32Array, count: number): Float32Array[] {
  const width = numbers.length / count;
  return Array.from({ length: count }, (_, i) => numbers.subarray(i * width, (i + 1) * width));
}

/** The Euclidean length of a vector. */
function norm(vector: Float32Array): number {
  return Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0));
}
