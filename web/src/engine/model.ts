/** A model in the page: its graph, its weights, and the words for its ids. */

import type { Labels } from "../ops/evidence";
import type { EditData, ExplanationData, PageData } from "../wire";
import { edited } from "./edited";
import { forward, type Values } from "./engine";
import { Explainer, type Parameter } from "./explain";
import type { Graph } from "./graph";
import { labelsOf } from "./labels";
import { unpack } from "./packed";
import { size, type Tensor } from "./tensor";

export class Model {
  private readonly parameters: ReadonlyMap<string, Parameter>;
  private readonly film: ReadonlyMap<string, Tensor> | null;

  constructor(private readonly page: PageData) {
    this.film = page.film?.bytes ? unpack(page.film.slots, page.film.bytes) : null;
    const { slots, bytes } = page.parameters;
    if (bytes === null) throw new Error("This page has no weights.");
    const weights = unpack(slots, bytes);
    this.parameters = new Map(
      Object.entries(slots).map(([name, { dims, title }]) => [
        name,
        { tensor: weights.get(name)!, dims, title },
      ]),
    );
  }

  /** The parameters after one of the film's steps; the model's own for null. */
  private at(frame: number | null): ReadonlyMap<string, Parameter> {
    const { film } = this;
    if (frame === null || !film) return this.parameters;
    return new Map(
      [...this.parameters].map(([name, parameter]) => [
        name,
        { ...parameter, tensor: placeOf(film.get(name)!, frame) },
      ]),
    );
  }

  /**
   * Run a text.
   *
   * @param frame which of the film's steps the weights are from; null for the model as it is.
   * @param target the token that should come after it: then there is a loss, and gradients of it.
   */
  run(
    ids: readonly number[],
    edits: readonly EditData[],
    target: number | null,
    frame: number | null,
  ): ModelRun {
    const labels = labelsOf(ids, this.page.vocabulary);
    const { graph, parameters } = edited(this.page.graph, this.at(frame), edits, labels);
    const weights = new Map([...parameters].map(([name, { tensor }]) => [name, tensor]));
    const targets = target === null ? null : ids.map((_, i) => (i + 1 < ids.length ? -1 : target));
    const values = forward(graph, weights, ids, targets);
    return new ModelRun(graph, parameters, values, labels);
  }
}

/** One place of a tensor along its first dim. */
function placeOf({ shape: [, ...shape], data }: Tensor, place: number): Tensor {
  const length = size(shape);
  return { shape, data: data.subarray(place * length, (place + 1) * length) };
}

/** What one run left behind. */
export class ModelRun {
  private readonly explainer: Explainer;

  constructor(
    graph: Graph,
    private readonly parameters: ReadonlyMap<string, Parameter>,
    private readonly values: Values,
    labels: Labels,
    /** Gradients that have been worked out elsewhere, and are all there are; null for none such. */
    private readonly stored: ReadonlyMap<string, Tensor> | null = null,
  ) {
    this.explainer = new Explainer(graph, parameters, values, labels, stored ?? new Map());
  }

  /** The shape of every tensor, parameter and input. */
  get shapes(): Record<string, readonly number[]> {
    const tensors = [...this.values].map(([name, { shape }]) => [name, shape] as const);
    const weights = [...this.parameters].map(([name, p]) => [name, p.tensor.shape] as const);
    return Object.fromEntries([...tensors, ...weights]);
  }

  tensor(name: string): Tensor {
    const found = this.parameters.get(name)?.tensor ?? this.values.get(name);
    if (!found) throw new Error(`This page has no numbers of ${name}.`);
    return found;
  }

  /** The gradient of the loss, where this run has one. */
  gradient(name: string): Tensor | null {
    if (this.stored) return this.stored.get(name) ?? null;
    return this.values.has("loss") ? this.explainer.gradients.of(name) : null;
  }

  explain(
    kind: "value" | "gradient",
    name: string,
    index: readonly number[],
    limit: number,
  ): ExplanationData {
    if (kind === "gradient") return this.explainer.explainGradient(name, index, limit);
    return this.explainer.explain(name, index, limit);
  }
}
