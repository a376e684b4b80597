/** A model in the page: its graph, its weights, and the words for its ids. */

import type { Labels } from "../ops/evidence";
import type { EditData, ExplanationData, PageData } from "../wire";
import { forward, type Values } from "./engine";
import { Explainer, type Parameter } from "./explain";
import { Graph, INPUTS } from "./graph";
import { unpack } from "./packed";
import type { Tensor } from "./tensor";

export class Model {
  readonly graph: Graph;
  private readonly parameters: ReadonlyMap<string, Parameter>;
  private readonly weights: ReadonlyMap<string, Tensor>;

  constructor(private readonly page: PageData) {
    if (!page.parameters) throw new Error("This page has no weights.");
    const { slots, bytes } = page.parameters;
    this.graph = new Graph(page.graph);
    this.weights = unpack(slots, bytes);
    this.parameters = new Map(
      Object.entries(slots).map(([name, { dims, title }]) => [
        name,
        { tensor: this.weights.get(name)!, dims, title },
      ]),
    );
  }

  /** Run a text. */
  run(ids: readonly number[], edits: readonly EditData[]): ModelRun {
    if (edits.length) throw new Error("Edits are not known yet.");
    const values = forward(this.graph, this.weights, ids);
    const labels = labelsOf(ids, this.page.vocabulary);
    return new ModelRun(this.graph, this.parameters, values, labels);
  }
}

/** What one run left behind. */
export class ModelRun {
  private readonly explainer: Explainer;

  constructor(
    graph: Graph,
    private readonly parameters: ReadonlyMap<string, Parameter>,
    private readonly values: Values,
    labels: Labels,
  ) {
    this.explainer = new Explainer(graph, parameters, values, labels);
  }

  /** The shape of every tensor, parameter and input. */
  get shapes(): Record<string, readonly number[]> {
    const tensors = [...this.values].map(([name, { shape }]) => [name, shape] as const);
    const weights = [...this.parameters].map(([name, p]) => [name, p.tensor.shape] as const);
    return Object.fromEntries([...tensors, ...weights]);
  }

  tensor(name: string): Tensor {
    const found = this.parameters.get(name)?.tensor ?? this.values.get(name);
    if (!found) throw new Error(`There is no tensor "${name}".`);
    return found;
  }

  explain(name: string, index: readonly number[], limit: number): ExplanationData {
    return this.explainer.explain(name, index, limit);
  }
}

/** What stands along each dim that has names. */
export function labelsOf(ids: readonly number[], vocabulary: readonly string[]): Labels {
  const tokens = ids.map((id) => vocabulary[id] ?? String(id));
  const along = { position: tokens, query: tokens, key: tokens };
  return vocabulary.length ? { ...along, vocab: vocabulary } : along;
}

/** Whether a name is that of something a run is given. */
export function isInput(name: string): boolean {
  return name in INPUTS;
}
