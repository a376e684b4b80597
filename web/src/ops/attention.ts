/**
 * Attention: how well queries match keys, and the mix of values.
 *
 * Several query heads may share one key and value head: query head `h` reads key head `h / group`.
 */

import { upTo } from "./slope";
import { type Tensor, zeros } from "../engine/tensor";
import type { Seen } from "./evidence";
import { figure, inLatex, sumOfProducts } from "./figures";
import { made, type Operation } from "./operation";
import { ALL, summand } from "./term";

interface Settings {
  d_head: number;
  /** What products are multiplied by in place of `1 / √d_head`. */
  factor: number | null;
}

/** `scores[h, i, j] = q[h, i] · keys[h, j] / √d_head`; or times another number, if given. */
export const scores: Operation<Settings> = {
  forward([q, keys], _, settings) {
    const [heads, queries, width] = q.shape;
    const [, length] = keys.shape;
    const out = zeros([heads, queries, length]);
    const group = heads / keys.shape[0];
    for (let h = 0, to = 0; h < heads; h++) {
      const shared = Math.floor(h / group) * length;
      for (let i = 0; i < queries; i++) {
        for (let j = 0; j < length; j++, to++) {
          const sum = dot(q, (h * queries + i) * width, keys, (shared + j) * width, width);
          out.data[to] = sum * scale(settings);
        }
      }
    }
    return made(out);
  },

  explain(seen, [head, query, key], settings) {
    const [q, keys] = [seen.input(0), seen.input(1)];
    const shared = sharedHead(head, q, keys);
    const operands = [q.at("q", head, query, ALL), keys.at("k", shared, key, ALL)];
    const said = `${q.say(head, query, ALL)} · ${keys.say(shared, key, ALL)}`;
    const tex = `${q.tex(head, query, ALL)} \\cdot ${keys.tex(shared, key, ALL)}`;
    return {
      operands,
      formula: scaled(said, settings),
      latex: scaledInLatex(tex, settings),
      substituted: scaled(`(${sumOfProducts(operands.map((each) => each.values))})`, settings),
      summands: [summand([0, 1], scale(settings))],
    };
  },

  slope(seen, operand, cell, settings) {
    const [q, keys] = [seen.input(0), seen.input(1)];
    const common = { scale: scale(settings) };
    if (operand === "input 0") {
      const [head, query, d] = cell;
      const shared = sharedHead(head, q, keys);
      const via = keys.at("local derivative", shared, ALL, d);
      return {
        ...{ ...common, index: [head, query, upTo(via.values.length)], via },
        formula: () => scaled(keys.say(shared, ALL, d), settings),
        latex: () => scaledInLatex(keys.tex(shared, ALL, d), settings),
      };
    }
    const [shared, key, d] = cell;
    const [heads, queries] = readersOf(shared, q, keys);
    return {
      ...{ ...common, index: [heads, queries, key] },
      via: q.at("local derivative", heads, queries, d),
      formula: () => scaled(q.say(ALL, ALL, d), settings),
      latex: () => scaledInLatex(q.tex(ALL, ALL, d), settings),
    };
  },
};

/** `z[h, i] = Σⱼ pattern[h, i, j] · values[h, j]`: what each position takes from others. */
export const mix: Operation = {
  forward([pattern, values]) {
    const [heads, queries, length] = pattern.shape;
    const width = values.shape[2];
    const out = zeros([heads, queries, width]);
    const group = heads / values.shape[0];
    for (let h = 0; h < heads; h++) {
      for (let i = 0; i < queries; i++) {
        const row = h * queries + i;
        out.data.set(mixed(pattern, row, values, Math.floor(h / group), length), row * width);
      }
    }
    return made(out);
  },

  explain(seen, [head, position, d]) {
    const [pattern, values] = [seen.input(0), seen.input(1)];
    const shared = sharedHead(head, pattern, values);
    const operands = [pattern.at("share", head, position, ALL), values.at("v", shared, ALL, d)];
    return {
      operands,
      formula: `${pattern.say(head, position, ALL)} · ${values.say(shared, ALL, d)}`,
      latex: `${pattern.tex(head, position, ALL)} \\cdot ${values.tex(shared, ALL, d)}`,
      substituted: sumOfProducts(operands.map((each) => each.values)),
      summands: [summand([0, 1])],
    };
  },

  slope(seen, operand, cell) {
    const [pattern, values] = [seen.input(0), seen.input(1)];
    if (operand === "input 0") {
      const [head, position, key] = cell;
      const shared = sharedHead(head, pattern, values);
      const via = values.at("local derivative", shared, key, ALL);
      return {
        ...{ index: [head, position, upTo(via.values.length)], via },
        formula: () => values.say(shared, key, ALL),
        latex: () => values.tex(shared, key, ALL),
      };
    }
    const [shared, key, d] = cell;
    const [heads, positions] = readersOf(shared, pattern, values);
    return {
      index: [heads, positions, d],
      via: pattern.at("local derivative", heads, positions, key),
      formula: () => pattern.say(ALL, ALL, key),
      latex: () => pattern.tex(ALL, ALL, key),
    };
  },
};

function scale({ d_head, factor }: Settings): number {
  return factor ?? 1 / Math.sqrt(d_head);
}

/** A product with its scale, in words. */
function scaled(product: string, { d_head, factor }: Settings): string {
  if (factor === null) return `${product} / √${d_head}`;
  return factor === 1 ? product : `${product} · ${figure(factor)}`;
}

/** The same in LaTeX. */
function scaledInLatex(product: string, { d_head, factor }: Settings): string {
  if (factor === null) return `\\frac{${product}}{\\sqrt{${d_head}}}`;
  return factor === 1 ? product : `${product} \\cdot ${inLatex(figure(factor))}`;
}

/** Which key or value head a query head reads. */
function sharedHead(head: number, q: Seen, shared: Seen): number {
  return Math.floor(head / (q.length(0) / shared.length(0)));
}

/** The heads and queries that read a shared head, one pair for each. */
function readersOf(shared: number, q: Seen, keys: Seen): [number[], number[]] {
  const [group, queries] = [q.length(0) / keys.length(0), q.length(1)];
  const pairs = upTo(group * queries);
  return [
    pairs.map((i) => shared * group + Math.floor(i / queries)),
    pairs.map((i) => i % queries),
  ];
}

function dot(a: Tensor, from: number, b: Tensor, other: number, length: number): number {
  let sum = 0;
  for (let d = 0; d < length; d++) sum += a.data[from + d] * b.data[other + d];
  return sum;
}

/** The values of one head, each by its share. */
function mixed(pattern: Tensor, row: number, values: Tensor, head: number, length: number) {
  const width = values.shape[2];
  const sums = new Float64Array(width);
  for (let j = 0; j < length; j++) {
    const share = pattern.data[row * length + j];
    const start = (head * length + j) * width;
    for (let d = 0; d < width; d++) sums[d] += share * values.data[start + d];
  }
  return sums;
}
