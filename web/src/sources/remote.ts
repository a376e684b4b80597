/** Python computes: models of any size, their tensors sent when they are looked at. */

import type { EditData, ExplanationData, PageData } from "../wire";
import { dimsOf } from "./local";
import { Cancelled, type Options, type Run, type Source } from "./source";

const UNUSABLE = 400;
const STOPPED = 409;
const GONE = 410;

const ANEW = "The server has been started anew: load this page again.";
const SHORT = "What was asked for did not arrive whole: load this page again.";

/** Takes a question to Python and brings the answer back: JSON, or numbers as float32. */
export type Transport = (kind: string, question: object) => Promise<ArrayBuffer>;

/** Python's refusal, in its own words. */
export class Refused extends Error {
  constructor(
    /** As in HTTP. */
    readonly status: number,
    words: string,
  ) {
    super(words);
  }
}

interface Made {
  /** Of a process: a server that is started anew has another. */
  server: number;
  run: number;
  ids: number[];
  tokens: string[];
  shapes: Record<string, number[]>;
}

export class RemoteSource implements Source {
  readonly live = true;
  /** Tells this page from others: its new run takes the place of its last. */
  private readonly page = Array.from(crypto.getRandomValues(new Uint32Array(4))).join("-");
  private newest = 0;
  private renewals = 0;
  private server: number | null = null;

  constructor(
    private readonly data: PageData,
    private readonly carry: Transport,
  ) {}

  async run(
    ids: readonly number[],
    edits: readonly EditData[],
    { target, frame }: Options,
  ): Promise<Run> {
    const number = ++this.newest;
    const film_step = frame === null ? null : this.data.film!.steps[frame];
    const question = { page: this.page, ids, edits, target, film_step };
    const made = await this.made(question);
    if (number !== this.newest) throw new Cancelled();
    return new RemoteRun(this, this.data, made, edits, () => this.again(question));
  }

  /** Make a run again that Python has forgotten, without taking the place of the page's newest. */
  private again(question: object): Promise<Made> {
    return this.made({ ...question, page: `${this.page}/${++this.renewals}` });
  }

  /** @throws Refused by another server than the page began with: its model may be another. */
  private async made(question: object): Promise<Made> {
    const made = read<Made>(await this.ask("run", question));
    this.server ??= made.server;
    if (made.server !== this.server) throw new Refused(GONE, ANEW);
    return made;
  }

  /** @throws Cancelled where another run has taken the place of this one. */
  async ask(kind: string, question: object): Promise<ArrayBuffer> {
    try {
      return await this.carry(kind, question);
    } catch (error) {
      if (error instanceof Refused && error.status === STOPPED) throw new Cancelled();
      throw error;
    }
  }
}

class RemoteRun implements Run {
  readonly ids: readonly number[];
  readonly tokens: readonly string[];
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  private readonly known = new Map<string, Promise<Float32Array>>();

  /** The run, made again where Python has forgotten it; asked for once by all that need it. */
  private renewed: Promise<Made> | null = null;

  constructor(
    private readonly source: RemoteSource,
    private readonly page: PageData,
    private made: Made,
    readonly edits: readonly EditData[],
    private readonly again: () => Promise<Made>,
  ) {
    this.ids = made.ids;
    this.tokens = made.tokens;
    this.shapes = made.shapes;
  }

  tensor(name: string, at: Readonly<Record<string, number>> = {}): Promise<Float32Array> {
    return this.numbers("value", name, at);
  }

  gradient(name: string, at: Readonly<Record<string, number>> = {}): Promise<Float32Array | null> {
    return this.numbers("gradient", name, at).catch((error: unknown) => {
      if (error instanceof Refused && error.status === UNUSABLE) return null;
      throw error;
    });
  }

  async explain(
    kind: "value" | "gradient",
    name: string,
    index: readonly number[],
    limit: number,
  ): Promise<ExplanationData> {
    return read(await this.ask("explain", { kind, name, index, limit }));
  }

  /** Ask about this run, which is made again, once, where Python has forgotten it. */
  private async ask(kind: string, question: object): Promise<ArrayBuffer> {
    const { run } = this.made;
    try {
      return await this.source.ask(kind, { ...question, run });
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== GONE) throw error;
    }
    if (run === this.made.run) {
      this.renewed ??= this.again();
      try {
        this.made = await this.renewed;
      } finally {
        this.renewed = null;
      }
    }
    return this.source.ask(kind, { ...question, run: this.made.run });
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
    const bytes = await this.ask("tensor", { kind, name, at });
    const numbers = dimsOf(this.page, name).map((dim, i) => (dim in at ? 1 : this.shapes[name][i]));
    if (bytes.byteLength !== 4 * numbers.reduce((all, one) => all * one, 1)) {
      throw new Refused(GONE, SHORT);
    }
    return new Float32Array(bytes);
  }
}

function read<T>(answer: ArrayBuffer): T {
  return JSON.parse(new TextDecoder().decode(answer)) as T;
}
