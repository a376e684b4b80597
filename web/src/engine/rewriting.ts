/** Graphs with a step put in; as in pellucid/decoder/rewriting.py. */

import { insideOf } from "../ops/inside";
import type { GraphData, GraphNode } from "../wire";
import type { Step } from "./edit_step";
import { lastOf, scopeOf, shorten } from "./names";

/** A graph in which a tensor is what a step makes of it, for all that read it. */
export function putBehind(given: GraphData, name: string, step: Step): GraphData {
  const whole = given.nodes.find(({ extras }) => extras.some((extra) => extra.name === name));
  const graph = whole ? takeApart(given, whole) : given;
  const maker = graph.nodes.find((node) => node.name === name)!;
  const before = `${name}.${earlier(graph, name)}`;
  const title = `Before the edit: ${maker.title[0].toLowerCase()}${maker.title.slice(1)}`;
  const scope = scopeOf(name);
  const right = `${shorten(before, scope)}, edited: ${step.settings["words"]}`;
  const was: GraphNode = { ...maker, name: before, title, latex: "" };
  const equation = `${shorten(name, scope)} = ${right}`;
  const now: GraphNode = {
    ...{ name, dims: maker.dims, title: maker.title, equation, latex: "" },
    ...{ kind: step.kind, settings: step.settings, inputs: [before], parameters: [], extras: [] },
  };
  return {
    ...graph,
    nodes: graph.nodes.flatMap((node) => (node === maker ? [was, now] : [node])),
  };
}

/** The word for what a tensor was before the next step that is put in behind it. */
function earlier(graph: GraphData, name: string): string {
  const known = new Set(graph.nodes.map((node) => node.name));
  if (!known.has(`${name}.unedited`)) return "unedited";
  let number = 1;
  while (known.has(`${name}.edited_${number}`)) number++;
  return `edited_${number}`;
}

/**
 * A graph in which a step is one for each of its extras, and one for its output.
 *
 * Their names stay, so that another step can be put behind an extra.
 */
function takeApart(graph: GraphData, node: GraphNode): GraphData {
  const { kind, settings, inputs, parameters, extras, ...output } = node;
  const facts = new Map([
    ...extras.map((each) => [lastOf(each.name), each] as const),
    ["", output],
  ]);
  const parts = insideOf(kind, settings);
  const nodes = [...parts].map(([makes, reads]): GraphNode => {
    const named = reads.map((read) => {
      const [, number] = /^input (\d+)$/.exec(read) ?? [];
      return number === undefined ? facts.get(read)!.name : inputs[Number(number)];
    });
    return {
      ...facts.get(makes)!,
      kind: "part",
      settings: { of: kind, settings, makes, reads },
      inputs: named,
      parameters: makes === "" ? parameters : [],
      extras: [],
    };
  });
  return { ...graph, nodes: graph.nodes.flatMap((each) => (each === node ? nodes : [each])) };
}
