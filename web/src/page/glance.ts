/** The whole model in rows, in the order in which it runs: what stands in each, and what it is for. */

import type { Graph } from "../engine/graph";
import { groupsOf, type Part } from "./stack";
import { stepsOf } from "./steps";

/** A tensor of a row; `follows` says whether it is made of what stands before it in the row. */
export interface Sight {
  readonly name: string;
  readonly follows: boolean;
}

export interface GlanceRow {
  readonly title: string;
  /** What happens here, in a few words; "" where there are none. */
  readonly why: string;
  readonly sights: readonly Sight[];
}

export interface Glance {
  readonly before: readonly GlanceRow[];
  /** The rows of each block. */
  readonly blocks: readonly (readonly GlanceRow[])[];
  readonly after: readonly GlanceRow[];
}

const WHY: Readonly<Record<string, string>> = {
  embeddings: "each token becomes a row of numbers",
  attention: "each token takes from itself and from those before it",
  "feed-forward": "each token works on what it has gathered",
};
const END: GlanceRow = {
  title: "what comes next",
  why: "a score for every token that there is, and its probability",
  sights: [],
};

/** The rows of a decoder: what stands before its blocks, each block, and what stands behind. */
export function glanceOf(graph: Graph): Glance {
  const groups = groupsOf(graph);
  const isBlock = groups.map(({ title }) => title.startsWith("block "));
  const [first, last] = [isBlock.indexOf(true), isBlock.lastIndexOf(true)];
  const parts = (from: number, to: number) =>
    groups.slice(from, to).flatMap((group) => group.parts);
  return {
    before: rowsOf(graph, parts(0, first)),
    blocks: groups
      .slice(first, last + 1)
      .map((group) => rowsOf(graph, group.parts).map((row) => within(row, group.title))),
    after: [{ ...END, sights: sightsOf(graph, parts(last + 1, groups.length)) }],
  };
}

/** A row for each part of several steps, with the single ones that lead to it or follow from it. */
function rowsOf(graph: Graph, parts: readonly Part[]): GlanceRow[] {
  const rows: Part[][] = [];
  let waiting: Part[] = [];
  for (const [i, part] of parts.entries()) {
    const next = parts[i + 1];
    if (part.steps.length > 1) {
      rows.push([...waiting, part]);
      waiting = [];
    } else if (next && next.steps.length > 1) waiting.push(part);
    else if (rows.length) rows[rows.length - 1].push(part);
    else waiting.push(part);
  }
  if (waiting.length) rows.push(waiting);
  return rows.map((row) => {
    const { title } = row.find(({ steps }) => steps.length > 1) ?? row[0];
    return { title, why: WHY[title] ?? "", sights: sightsOf(graph, row) };
  });
}

function sightsOf(graph: Graph, parts: readonly Part[]): Sight[] {
  const seen = new Set<string>();
  return parts
    .flatMap(({ steps }) => stepsOf(graph, steps))
    .map(({ name, members }) => {
      const read = members.flatMap((member) => graph.owner(member).inputs);
      const follows = read.some((input) => seen.has(input));
      members.forEach((member) => seen.add(member));
      return { name, follows };
    });
}

function within(row: GlanceRow, block: string): GlanceRow {
  return { ...row, title: `${block}, ${row.title}` };
}
