/** Python computes: models of any size, their tensors sent when they are looked at. */

import { size } from "../engine/tensor";
import type { EditData, ExplanationData, PageData } from "../wire";
import type { Glimpse } from "./glimpse";
import { dimsOf } from "./local";
import { type At, Cancelled, type Kind, type Options, type Run, type Source } from "./source";

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

  tensor(name: string, at: At = {}): Promise<Float32Array> {
    return this.numbers("value", name, at);
  }

  gradient(name: string, at: At = {}): Promise<Float32Array | null> {
    return this.numbers("gradient", name, at).catch((error: unknown) => {
      if (error instanceof Refused && error.status === UNUSABLE) return null;
      throw error;
    });
  }

  async glimpse(
    kind: Kind,
    name: string,
    at: At,
    most: Readonly<Record<string, number>>,
  ): Promise<Glimpse | null> {
    const said = await this.once("glimpse", { kind, name, at, most }).catch((error: unknown) => {
      if (error instanceof Refused && error.status === UNUSABLE) return null;
      throw error;
    });
    if (!said) return null;
    const [reach, endless, none] = said;
    return { extent: { reach, endless: endless > 0, none: none > 0 }, pixels: said.subarray(3) };
  }

  async explain(
    kind: Kind,
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

  /** @throws Refused where what arrives is not as much as there is: it may be of another run. */
  private async numbers(kind: Kind, name: string, at: At): Promise<Float32Array> {
    const numbers = await this.once("tensor", { kind, name, at });
    const lengths = dimsOf(this.page, name).map((dim, i) =>
      lengthOf(at[dim], this.shapes[name][i]),
    );
    if (numbers.length !== size(lengths)) throw new Refused(GONE, SHORT);
    return numbers;
  }

  /** Numbers that are asked for once, however often they are looked at. */
  private once(asked: "tensor" | "glimpse", question: object): Promise<Float32Array> {
    const key = `${asked} ${JSON.stringify(question)}`;
    const known = this.known.get(key) ?? this.fetched(asked, question);
    this.known.set(key, known);
    known.catch(() => this.known.delete(key));
    return known;
  }

  private async fetched(asked: string, question: object): Promise<Float32Array> {
    return new Float32Array(await this.ask(asked, question));
  }
}

/** How many places are asked for along a dim. */
function lengthOf(asked: At[string] | undefined, length: number): number {
  if (asked === undefined) return length;
  return typeof asked === "number" ? 1 : asked[1] - asked[0];
}

function read<T>(answer: ArrayBuffer): T {
  return JSON.parse(new TextDecoder().decode(answer)) as T;
}
