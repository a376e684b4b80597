/** The decoder as data, looked up by the names of its tensors. */

import type { Fact, GraphData, GraphNode } from "../wire";

/** What a run is given, by name: whole numbers. */
export const INPUTS: Readonly<Record<string, { dims: string[]; title: string }>> = {
  ids: { dims: ["position"], title: "Token id" },
  positions: { dims: ["position"], title: "Position, counted from 0" },
  targets: {
    dims: ["position"],
    title: "Token that should come next; −1 where none is given",
  },
  lengths: { dims: [], title: "How many positions the text has" },
};

export class Graph {
  readonly nodes: readonly GraphNode[];
  readonly sizes: Readonly<Record<string, number>>;
  private readonly facts = new Map<string, Fact>();
  private readonly owners = new Map<string, GraphNode>();

  constructor(private readonly data: GraphData) {
    this.nodes = data.nodes;
    this.sizes = data.sizes;
    for (const node of data.nodes) {
      for (const fact of [...node.extras, node]) {
        this.facts.set(fact.name, fact);
        this.owners.set(fact.name, node);
      }
    }
  }

  /** Every tensor, in the order in which they are computed. */
  get names(): string[] {
    return [...this.facts.keys()];
  }

  /** The one name of a tensor, given that name or an alias. */
  resolve(name: string): string {
    return this.data.aliases[name] ?? name;
  }

  has(name: string): boolean {
    return this.facts.has(this.resolve(name));
  }

  fact(name: string): Fact {
    return found(this.facts.get(this.resolve(name)), name);
  }

  /** The step that makes a tensor, which may be one of its intermediates. */
  owner(name: string): GraphNode {
    return found(this.owners.get(this.resolve(name)), name);
  }

  /** The steps that read a tensor or parameter. */
  readers(name: string): GraphNode[] {
    return this.nodes.filter((node) => [...node.inputs, ...node.parameters].includes(name));
  }

  /** The steps that must run for these tensors to be known, in order. */
  neededFor(names: readonly string[]): GraphNode[] {
    const wanted = new Set(names.map((name) => this.owner(name).name));
    const steps: GraphNode[] = [];
    for (const node of [...this.nodes].reverse()) {
      if (!wanted.has(node.name)) continue;
      steps.unshift(node);
      node.inputs.filter((name) => this.has(name)).forEach((n) => wanted.add(this.owner(n).name));
    }
    return steps;
  }
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`This model has no tensor "${name}".`);
  return value;
}
