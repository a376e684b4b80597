/** What the page looks at, and what it has of it: the one state that every part reads. */

import { Graph } from "../engine/graph";
import { dimsOf } from "../sources/local";
import { Cancelled, type Run, type Source } from "../sources/source";
import { Tokenizer, UnknownText } from "../text/tokenizer";
import type { ExplanationData, PageData } from "../wire";
import { read, type View, written } from "./address";

/** So many of the largest contributions are asked for with an explanation. */
const LARGEST = 4096;

/** A number on the way from where one started. */
export interface Stop {
  readonly name: string;
  readonly index: readonly number[];
  readonly where: string;
}

export class Explorer {
  readonly graph: Graph;
  readonly tokenizer: Tokenizer | null;
  view: View;
  run: Run | null = $state.raw(null);
  explanation: ExplanationData | null = $state.raw(null);
  trail: readonly Stop[] = $state.raw([]);
  /** What is wrong with what was typed; "" where nothing is. */
  message = $state("");

  constructor(
    readonly page: PageData,
    private readonly source: Source,
  ) {
    this.graph = new Graph(page.graph);
    this.tokenizer = page.tokenizer ? new Tokenizer(page.tokenizer) : null;
    const first = { text: page.prompt.text, name: this.opening(), cell: null, of: "" };
    this.view = $state.raw({ ...first, head: 0, chapter: 0, doing: "" });
  }

  /** Begin with what the address says. */
  async open(address: string): Promise<void> {
    const asked = read(address, this.view);
    const known = this.graph.has(asked.name) ? asked.name : this.view.name;
    this.view = { ...asked, name: this.graph.resolve(known) };
    const { text } = this.view;
    if (text === null || text === this.page.prompt.text) await this.runIds(this.page.prompt.ids);
    else await this.type(text);
    if (asked.cell) await this.choose(asked.of, asked.cell);
  }

  get live(): boolean {
    return this.source.live && this.tokenizer !== null;
  }

  dims(name: string): readonly string[] {
    return dimsOf(this.page, name);
  }

  shape(name: string): readonly number[] {
    return this.run?.shapes[name] ?? [];
  }

  /** What stands along a dim: tokens, the vocabulary's words, or nothing but numbers. */
  labels(name: string, dim: string): readonly string[] | null {
    if (dim === "vocab") return this.page.vocabulary.length ? this.page.vocabulary : null;
    const isParameter = name in this.page.parameters.slots;
    if (isParameter || !["position", "query", "key"].includes(dim)) return null;
    return this.run?.tokens ?? null;
  }

  /** Follow another text. */
  async type(text: string): Promise<void> {
    this.message = "";
    try {
      const ids = this.tokenizer!.prompt(text);
      if (!ids.length) throw new UnknownText("Type something: there is no start token.");
      const most = this.graph.sizes["position"];
      if (ids.length > most) {
        throw new UnknownText(`${ids.length} tokens; this model reads ${most} at once.`);
      }
      this.view = { ...this.view, text };
      await this.runIds(ids);
    } catch (error) {
      if (error instanceof Cancelled) return;
      if (!(error instanceof UnknownText)) throw error;
      this.message = error.message;
    }
  }

  /** Put a tensor on the stage. */
  show(name: string): void {
    this.view = { ...this.view, name: this.graph.resolve(name) };
    this.write();
  }

  /** Choose a number, from anywhere: the way back begins there. */
  async choose(name: string, index: readonly number[]): Promise<void> {
    this.trail = [];
    await this.explain(name, index);
  }

  /** Go on to a number that the chosen one was made of. */
  async follow(name: string, index: readonly number[]): Promise<void> {
    const { explanation } = this;
    if (explanation) this.trail = [...this.trail, stopOf(explanation)];
    await this.explain(name, index);
  }

  /** Return to a number on the way; to the one before unless another is named. */
  async back(to = this.trail.length - 1): Promise<void> {
    const stop = this.trail[to];
    if (!stop) return this.leave();
    this.trail = this.trail.slice(0, to);
    await this.explain(stop.name, stop.index);
  }

  /** Choose no number. */
  leave(): void {
    this.trail = [];
    this.explanation = null;
    this.view = { ...this.view, cell: null };
    this.write();
  }

  setHead(head: number): void {
    this.view = { ...this.view, head };
    this.write();
  }

  setChapter(chapter: number): void {
    this.view = { ...this.view, chapter };
    this.write();
  }

  /** Open something below the stage, by its name; "" closes it. */
  setDoing(doing: string): void {
    this.view = { ...this.view, doing };
    this.write();
  }

  private async explain(name: string, index: readonly number[]): Promise<void> {
    const { run } = this;
    if (!run) return;
    const own = this.graph.has(name) ? this.graph.resolve(name) : name;
    this.explanation = await run.explain("value", own, index, LARGEST);
    this.view = { ...this.view, of: own, cell: index };
    if (this.graph.has(own)) this.view = { ...this.view, name: own };
    this.write();
  }

  private async runIds(ids: readonly number[]): Promise<void> {
    this.run = await this.source.run(ids, []);
    const { cell, of } = this.view;
    if (cell && fits(cell, this.shape(of))) await this.explain(of, cell);
    else this.leave();
  }

  private opening(): string {
    const names = this.graph.names;
    return names.find((name) => name.endsWith(".attn.pattern")) ?? names[0];
  }

  private write(): void {
    history.replaceState(null, "", `#${written(this.view)}`);
  }
}

/** The index of an explained number, in the order of its dims. */
export function indexOf(cell: Readonly<Record<string, number>>): number[] {
  return Object.values(cell);
}

function stopOf(explanation: ExplanationData): Stop {
  return {
    name: explanation.name,
    index: indexOf(explanation.cell),
    where: explanation.where,
  };
}

function fits(cell: readonly number[], shape: readonly number[]): boolean {
  return cell.length === shape.length && cell.every((place, i) => place < shape[i]);
}
