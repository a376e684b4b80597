/** Python computes: models of any size, their tensors sent when they are looked at. */

import type { EditData, ExplanationData, PageData } from "../wire";
import type { Glimpse } from "./glimpse";
import { type At, Cancelled, type Kind, type Options, type Run, type Source } from "./source";

const STOPPED = 409;

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
    const made = read<Made>(await this.ask("run", question));
    if (number !== this.newest) throw new Cancelled();
    return new RemoteRun(this, made, edits);
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

  constructor(
    private readonly source: RemoteSource,
    private readonly made: Made,
    readonly edits: readonly EditData[],
  ) {
    this.ids = made.ids;
    this.tokens = made.tokens;
    this.shapes = made.shapes;
  }

  tensor(name: string, at: At = {}): Promise<Float32Array> {
    return this.numbers("value", name, at);
  }

  gradient(name: string, at: At = {}): Promise<Float32Array | null> {
    return this.numbers("gradient", name, at).catch(() => null);
  }

  async glimpse(
    kind: Kind,
    name: string,
    at: At,
    most: Readonly<Record<string, number>>,
  ): Promise<Glimpse | null> {
    const question = { run: this.made.run, kind, name, at, most };
    const said = await this.once("glimpse", question).catch(() => null);
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
    const question = { run: this.made.run, kind, name, index, limit };
    return read(await this.source.ask("explain", question));
  }

  private numbers(kind: Kind, name: string, at: At): Promise<Float32Array> {
    return this.once("tensor", { run: this.made.run, kind, name, at });
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
    return new Float32Array(await this.source.ask(asked, question));
  }
}

function read<T>(answer: ArrayBuffer): T {
  return JSON.parse(new TextDecoder().decode(answer)) as T;
}
