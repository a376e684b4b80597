/** A trace in the file: what a model too large for a page left behind of one text. */

import type { PageData } from "../wire";
import { Graph } from "./graph";
import { labelsOf } from "./labels";
import { ModelRun } from "./model";
import { unpack } from "./packed";
import { type Tensor, vector } from "./tensor";

/** The run that is stored in a page: no weights, and what is made of them says so. */
export function storedRun({ trace, graph, vocabulary }: PageData): ModelRun {
  if (!trace) throw new Error("This page has neither weights nor a trace.");
  const { ids, targets, bytes } = trace;
  const given: [string, Tensor][] = [
    ["ids", vector(ids)],
    ["positions", vector(ids.map((_, place) => place))],
    ["lengths", { data: Float32Array.of(ids.length), shape: [] }],
  ];
  if (targets) given.push(["targets", vector(targets)]);
  const values = new Map([...given, ...unpack(trace.values, bytes)]);
  const gradients = unpack(trace.gradients, bytes);
  return new ModelRun(new Graph(graph), new Map(), values, labelsOf(ids, vocabulary), gradients);
}
