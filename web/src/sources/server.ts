/** A server on this machine: models of any size, their tensors sent when they are looked at. */

import type { EditData, ExplanationData, PageData } from "../wire";
import { Cancelled, type Options, type Run, type Source } from "./source";

const STOPPED = 409;

interface Made {
  run: number;
  ids: number[];
  tokens: string[];
  shapes: Record<string, number[]>;
}

export class ServerSource implements Source {
  readonly live = true;
  /** Tells this page from others: its new run takes the place of its last. */
  private readonly page = Array.from(crypto.getRandomValues(new Uint32Array(4))).join("-");
  private readonly token = new URLSearchParams(location.search).get("token");
  private newest = 0;

  constructor(private readonly data: PageData) {}

  async run(
    ids: readonly number[],
    edits: readonly EditData[],
    { target, frame }: Options,
  ): Promise<Run> {
    const number = ++this.newest;
    const film_step = frame === null ? null : this.data.film!.steps[frame];
    const answer = await this.ask("run", { page: this.page, ids, edits, target, film_step });
    const made = (await answer.json()) as Made;
    if (number !== this.newest) throw new Cancelled();
    return new ServerRun(this, made, edits);
  }

  /** Ask the server; its refusals become errors in its own words. */
  async ask(path: string, question: object): Promise<Response> {
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (this.token) headers["x-pellucid-token"] = this.token;
    const body = JSON.stringify(question);
    const answer = await fetch(`${this.data.server}${path}`, { method: "POST", headers, body });
    if (answer.status === STOPPED) throw new Cancelled();
    if (!answer.ok) throw new Error(await answer.text());
    return answer;
  }
}

class ServerRun implements Run {
  readonly ids: readonly number[];
  readonly tokens: readonly string[];
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  private readonly known = new Map<string, Promise<Float32Array>>();

  constructor(
    private readonly source: ServerSource,
    private readonly made: Made,
    readonly edits: readonly EditData[],
  ) {
    this.ids = made.ids;
    this.tokens = made.tokens;
    this.shapes = made.shapes;
  }

  tensor(name: string, at: Readonly<Record<string, number>> = {}): Promise<Float32Array> {
    return this.numbers("value", name, at);
  }

  gradient(name: string, at: Readonly<Record<string, number>> = {}): Promise<Float32Array | null> {
    return this.numbers("gradient", name, at).catch(() => null);
  }

  async explain(
    kind: "value" | "gradient",
    name: string,
    index: readonly number[],
    limit: number,
  ): Promise<ExplanationData> {
    const question = { run: this.made.run, kind, name, index, limit };
    return (await this.source.ask("explain", question)).json();
  }

  private numbers(
    kind: "value" | "gradient",
    name: string,
    at: Readonly<Record<string, number>>,
  ): Promise<Float32Array> {
    const key = `${kind} ${name} ${JSON.stringify(at)}`;
    const known = this.known.get(key) ?? this.fetched(kind, name, at);
    this.known.set(key, known);
    known.catch(() => this.known.delete(key));
    return known;
  }

  private async fetched(
    kind: "value" | "gradient",
    name: string,
    at: Readonly<Record<string, number>>,
  ): Promise<Float32Array> {
    const answer = await this.source.ask("tensor", { run: this.made.run, kind, name, at });
    return new Float32Array(await answer.arrayBuffer());
  }
}
