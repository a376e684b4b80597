/** Gradients of the loss by every tensor and parameter, each worked out when it is asked for. */

import type { Evidence } from "../ops/evidence";
import { operationOf } from "../ops/registry";
import type { Operand, Slope } from "../ops/slope";
import type { GraphNode } from "../wire";
import type { Graph } from "./graph";
import { offset, size, type Tensor } from "./tensor";

/** How a step's output moves with a cell that it reads. */
export interface Reading {
  readonly node: GraphNode;
  readonly slope: Slope;
}

export class Gradients {
  private readonly known: Map<string, Tensor>;
  private readonly digits = new Map<string, Float64Array>();
  private readonly readers = new Map<string, [GraphNode, Operand][]>();

  /**
   * @param evidence of what a step read and wrote.
   * @param shapeOf a tensor or parameter.
   * @param given gradients that have been worked out elsewhere.
   */
  constructor(
    graph: Graph,
    private readonly evidence: (node: GraphNode) => Evidence,
    private readonly shapeOf: (name: string) => readonly number[],
    given: ReadonlyMap<string, Tensor>,
  ) {
    this.known = new Map(given);
    for (const node of graph.neededFor(["loss"])) {
      const reads = (what: "input" | "parameter", names: readonly string[]) =>
        names.forEach((name, i) => {
          const own = graph.has(name) ? graph.resolve(name) : name;
          this.readers.set(own, [...(this.readers.get(own) ?? []), [node, `${what} ${i}`]]);
        });
      reads("input", node.inputs);
      reads("parameter", node.parameters);
    }
  }

  /** The gradient by a whole tensor, in its shape. */
  of(name: string): Tensor {
    const known = this.known.get(name);
    if (known) return known;
    const out = { data: Float32Array.from(this.exact(name)), shape: this.shapeOf(name) };
    this.known.set(name, out);
    return out;
  }

  /** The same with all its digits: what it is made of is rounded once, not at every step. */
  private exact(name: string): ArrayLike<number> {
    const found = this.digits.get(name) ?? this.known.get(name)?.data;
    if (found) return found;
    const shape = this.shapeOf(name);
    const out = new Float64Array(size(shape));
    if (name === "loss") out.fill(1);
    else out.forEach((_, i) => (out[i] = this.at(name, indexAt(shape, i))));
    this.digits.set(name, out);
    return out;
  }

  /** Every step that reads a cell, on the way to the loss. */
  readings(name: string, index: readonly number[]): Reading[] {
    return (
      (this.readers.get(name) ?? [])
        .map(([node, operand]) => ({
          node,
          slope: operationOf(node.kind).slope(this.evidence(node), operand, index, node.settings),
        }))
        // The row of a token that stands nowhere in this text has none.
        .filter(({ slope }) => slope.via.values.length > 0)
    );
  }

  private at(name: string, index: readonly number[]): number {
    return this.readings(name, index).reduce((sum, { node, slope }) => {
      const arrived = this.exact(node.name);
      return sum + (slope.scale ?? 1) * product(slope, arrived, this.shapeOf(node.name));
    }, 0);
  }
}

/** The slopes of some cells, each times the gradient that arrived there. */
function product(
  { index, via }: Slope,
  arrived: ArrayLike<number>,
  shape: readonly number[],
): number {
  let sum = 0;
  for (let i = 0; i < via.values.length; i++) {
    const cell = index.map((place) => (typeof place === "number" ? place : place[i]));
    sum += via.values[i] * arrived[offset(shape, cell)];
  }
  return sum;
}

/** The index of the i-th number of a tensor. */
function indexAt(shape: readonly number[], i: number): number[] {
  const index = new Array<number>(shape.length);
  for (let dim = shape.length - 1, rest = i; dim >= 0; dim--) {
    index[dim] = rest % shape[dim];
    rest = Math.floor(rest / shape[dim]);
  }
  return index;
}
