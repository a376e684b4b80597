/** The engine in a worker of this page: any text, at once, or the one that the page holds. */

import type { Answer, Ask } from "../engine/worker";
import EngineWorker from "../engine/worker?worker&inline";
import { withoutEdit } from "../engine/names";
import { slice } from "../engine/tensor";
import type { EditData, ExplanationData, PageData } from "../wire";
import { type Glimpse, glimpseAt } from "./glimpse";
import { type At, Cancelled, type Kind, type Options, type Run, type Source } from "./source";

export class LocalSource implements Source {
  /** A page without weights holds one run. */
  readonly live: boolean;
  private readonly worker = new EngineWorker();
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private readonly opening: Promise<unknown>;
  private asked = 0;
  private newest = 0;

  constructor(private readonly page: PageData) {
    this.worker.onmessage = ({ data }: MessageEvent<Answer>) => {
      this.waiting.get(data.id)?.(data);
      this.waiting.delete(data.id);
    };
    this.live = page.parameters.bytes !== null;
    this.worker.onerror = ({ message }) => this.fail(message);
    this.opening = this.ask({ call: "open", page });
    // Whoever asks for a run is told.
    this.opening.catch(() => undefined);
  }

  async run(
    ids: readonly number[],
    edits: readonly EditData[],
    { target, frame }: Options,
  ): Promise<Run> {
    const number = ++this.newest;
    await this.opening;
    // Typing asks faster than a large model answers: wait for a pause of the queue.
    await Promise.resolve();
    if (number !== this.newest) throw new Cancelled();
    const made = (await this.ask({ call: "run", ids, edits, target, frame })) as Made;
    if (number !== this.newest) throw new Cancelled();
    return new LocalRun(this, this.page, made, ids, edits);
  }

  /** Tell everybody who waits that no answer will come. */
  private fail(why: string): void {
    for (const tell of this.waiting.values()) {
      tell({
        id: 0,
        error: `The engine of this page has stopped: ${why || "it could not start"}.`,
      });
    }
    this.waiting.clear();
  }

  /** Ask the worker; an answer comes for each question, in any order. */
  ask(ask: Ask): Promise<unknown> {
    const id = ++this.asked;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, (answer) =>
        "error" in answer ? reject(new Error(answer.error)) : resolve(answer.value),
      );
      this.worker.postMessage({ id, ask });
    });
  }
}

interface Made {
  run: number;
  shapes: Record<string, readonly number[]>;
}

class LocalRun implements Run {
  readonly tokens: readonly string[];
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  private readonly whole = new Map<string, Promise<Float32Array | null>>();

  constructor(
    private readonly source: LocalSource,
    private readonly page: PageData,
    private readonly made: Made,
    readonly ids: readonly number[],
    readonly edits: readonly EditData[],
  ) {
    this.shapes = made.shapes;
    const { trace, vocabulary } = page;
    this.tokens = source.live ? ids.map((id) => vocabulary[id] ?? String(id)) : trace!.tokens;
  }

  async tensor(name: string, at: At = {}): Promise<Float32Array> {
    return (await this.part("tensor", name, at))!;
  }

  async gradient(name: string, at: At = {}): Promise<Float32Array | null> {
    return this.part("gradient", name, at);
  }

  async glimpse(
    kind: Kind,
    name: string,
    at: At,
    most: Readonly<Record<string, number>>,
  ): Promise<Glimpse | null> {
    const data = await this.all(kind === "gradient" ? kind : "tensor", name);
    if (!data) return null;
    return glimpseAt({ data, shape: this.shapes[name] }, dimsOf(this.page, name), at, most);
  }

  async explain(
    kind: Kind,
    name: string,
    index: readonly number[],
    limit: number,
  ): Promise<ExplanationData> {
    const ask: Ask = { call: "explain", run: this.made.run, kind, name, index, limit };
    return (await this.source.ask(ask)) as ExplanationData;
  }

  private async part(
    call: "tensor" | "gradient",
    name: string,
    at: At,
  ): Promise<Float32Array | null> {
    const data = await this.all(call, name);
    if (!data || !Object.keys(at).length) return data;
    return slice({ data, shape: this.shapes[name] }, dimsOf(this.page, name), at).data;
  }

  private all(call: "tensor" | "gradient", name: string): Promise<Float32Array | null> {
    const key = `${call} ${name}`;
    const known = this.whole.get(key);
    if (known) return known;
    const asked = this.source.ask({
      call,
      run: this.made.run,
      name,
    }) as Promise<Float32Array | null>;
    this.whole.set(key, asked);
    return asked;
  }
}

/** The dims of a tensor, parameter or input of a page. */
export function dimsOf(page: PageData, edited: string): readonly string[] {
  const name = withoutEdit(edited);
  const parameter = page.parameters.slots[name];
  if (parameter) return parameter.dims;
  for (const node of page.graph.nodes) {
    for (const fact of [node, ...node.extras]) if (fact.name === name) return fact.dims;
  }
  return name === "lengths" ? [] : ["position"];
}
