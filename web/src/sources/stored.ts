/** A trace in the file: what a model too large for a page left behind of one text. */

import { Explainer, type Parameter } from "../engine/explain";
import { Graph } from "../engine/graph";
import { labelsOf } from "../engine/model";
import { unpack } from "../engine/packed";
import { slice, type Tensor, vector } from "../engine/tensor";
import type { EditData, ExplanationData, PageData } from "../wire";
import { dimsOf } from "./local";
import { type Glimpse, glimpseAt } from "./glimpse";
import type { At, Kind, Run, Source } from "./source";

export class StoredSource implements Source {
  readonly live = false;
  private readonly stored: StoredRun;

  constructor(page: PageData) {
    this.stored = new StoredRun(page);
  }

  async run(): Promise<Run> {
    return this.stored;
  }
}

class StoredRun implements Run {
  readonly ids: readonly number[];
  readonly tokens: readonly string[];
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  readonly edits: readonly EditData[] = [];
  private readonly values: ReadonlyMap<string, Tensor>;
  private readonly gradients: ReadonlyMap<string, Tensor>;
  private readonly explainer: Explainer;

  constructor(private readonly page: PageData) {
    const { trace } = page;
    if (!trace) throw new Error("This page has neither weights nor a trace.");
    this.ids = trace.ids;
    this.tokens = trace.tokens;
    const given: [string, Tensor][] = [
      ["ids", vector(trace.ids)],
      ["positions", vector(trace.ids.map((_, place) => place))],
      ["lengths", { data: Float32Array.of(trace.ids.length), shape: [] }],
    ];
    if (trace.targets) given.push(["targets", vector(trace.targets)]);
    this.values = new Map([...given, ...unpack(trace.values, trace.bytes)]);
    this.gradients = unpack(trace.gradients, trace.bytes);
    this.shapes = Object.fromEntries([...this.values].map(([name, { shape }]) => [name, shape]));
    this.explainer = new Explainer(
      new Graph(page.graph),
      // Too many for a page: what is made of them says so.
      new Map<string, Parameter>(),
      this.values,
      labelsOf(trace.ids, page.vocabulary),
      this.gradients,
    );
  }

  async tensor(name: string, at: At = {}): Promise<Float32Array> {
    const found = this.values.get(name);
    if (!found) throw new Error(`This page has no numbers of ${name}.`);
    return slice(found, dimsOf(this.page, name), at).data;
  }

  async gradient(
    name: string,
    at: At = {},
  ): Promise<Float32Array | null> {
    const found = this.gradients.get(name);
    return found ? slice(found, dimsOf(this.page, name), at).data : null;
  }

  async glimpse(
    kind: Kind,
    name: string,
    at: At,
    most: Readonly<Record<string, number>>,
  ): Promise<Glimpse | null> {
    const found = (kind === "gradient" ? this.gradients : this.values).get(name);
    return found ? glimpseAt(found, dimsOf(this.page, name), at, most) : null;
  }

  async explain(
    kind: Kind,
    name: string,
    index: readonly number[],
    limit: number,
  ): Promise<ExplanationData> {
    if (kind === "gradient") return this.explainer.explainGradient(name, index, limit);
    return this.explainer.explain(name, index, limit);
  }
}
