/** What the page looks at, and what it has of it: the one state that every part reads. */

import { editsOf, idsWith } from "../doing/changes";
import { hasGradient } from "../doing/layers";
import { type Layer, PLAIN, type Setting } from "../doing/setting";
import { ARRIVING } from "../engine/chain";
import { rewired } from "../engine/edits";
import { Graph } from "../engine/graph";
import { labelsOf } from "../engine/labels";
import { dimsOf } from "../sources/local";
import { Cancelled, type Run, type Source } from "../sources/source";
import { Tokenizer } from "../text/tokenizer";
import type { ExplanationData, PageData } from "../wire";
import { placeOf, read, type View, written } from "./address";
import { History } from "./history";
import { Runs } from "./runs";
import { type Stop, stopOf } from "./trail";
import { checkIds, idsOf } from "./typed";

/** So many of the largest contributions are asked for with an explanation. */
const LARGEST = 4096;

/** So long must something be pointed at, in milliseconds. */
const PAUSE = 30;

export class Explorer {
  /** The decoder, with a step for each edit. */
  graph: Graph;
  readonly tokenizer: Tokenizer | null;
  view: View;
  run: Run | null = $state.raw(null);
  /** The same text without changes, to compare with; null where nothing is changed. */
  before: Run | null = $state.raw(null);
  explanation: ExplanationData | null = $state.raw(null);
  trail: readonly Stop[] = $state.raw([]);
  /** What made the number that is pointed at, as long as one is. */
  pointed: ExplanationData | null = $state.raw(null);
  /** The tensor that the text beside the stage points at; "" for none. */
  told = $state("");
  /** Why what was typed is not run; "" where it is. */
  refusal = $state("");
  /** What else went wrong; "" where nothing did. */
  private trouble = $state("");
  private typings = 0;
  private readonly history = new History();
  private pointings = 0;
  private choices = 0;
  /** The ids of the text as it was typed. */
  private own: readonly number[];
  private readonly runs: Runs;

  constructor(
    readonly page: PageData,
    private readonly source: Source,
  ) {
    this.runs = new Runs(source);
    this.graph = $state.raw(new Graph(page.graph));
    this.own = page.prompt.ids;
    this.tokenizer = page.tokenizer ? new Tokenizer(page.tokenizer) : null;
    const first = { text: page.prompt.text, name: this.opening(), cell: null, of: "" };
    this.view = $state.raw({
      ...first,
      whole: true,
      head: 0,
      chapter: 0,
      stop: 0,
      doing: "",
      ...PLAIN,
    });
  }

  /** Begin with what the address says. */
  async open(address: string): Promise<void> {
    const asked = read(address, this.view);
    this.trail = [];
    const known = this.graph.has(asked.name) ? asked.name : this.view.name;
    this.view = { ...asked, name: this.graph.resolve(known) };
    this.history.arrive(placeOf(this.view));
    await this.attempt(() => {
      const { text } = this.view;
      this.own = this.page.prompt.ids;
      if (text !== null && text !== this.page.prompt.text) this.own = this.idsOf(text);
      return this.rerun();
    });
    if (this.run) return;
    // What the address asks for cannot be: begin as the page does, and say why not.
    const why = this.trouble;
    this.view = { ...this.view, ...PLAIN };
    await this.type(this.page.prompt.text);
    this.trouble = why;
  }

  /** Whether anything but what the page opens with can be run. */
  get computes(): boolean {
    return this.source.live;
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

  /** Where a cell stands: tokens, words or numbers; nothing for a dim of one place. */
  places(name: string, index: readonly number[]): string[] {
    const shape = this.shape(name);
    const words = this.dims(name).map((dim, i) => {
      return this.labels(name, dim)?.[index[i]] ?? String(index[i]);
    });
    return words.filter((_, i) => shape[i] !== 1);
  }

  /** Follow another text; its tokens are its own again, edits of tensors stay. */
  async type(text: string | null): Promise<void> {
    const number = ++this.typings;
    const why = await this.whyNot(() => {
      this.own = text === null ? this.page.prompt.ids : this.idsOf(text);
      const changes = editsOf(this.view.changes);
      this.view = { ...this.view, text, ids: null, changes };
      return this.rerun();
    });
    // A text that was typed before may be run to its end meanwhile.
    if (number === this.typings) this.refusal = why;
  }

  /** What is to be said about what cannot be done; "" where all can. */
  get message(): string {
    return this.refusal || this.trouble;
  }

  /** Run the same text under another setting; one that cannot be is not taken on. */
  async set(setting: Partial<Setting>): Promise<void> {
    const was = this.view;
    this.view = { ...was, ...setting };
    if (await this.attempt(() => this.rerun())) this.write();
    else this.view = was;
  }

  /** Take a setting on that needs no other run. */
  keep(setting: Partial<Pick<Setting, "sampling" | "uniform">>): void {
    this.view = { ...this.view, ...setting };
    this.write();
  }

  /** Look at other numbers of each tensor. */
  async setLayer(layer: Setting["layer"]): Promise<void> {
    const { of, cell } = this.view;
    this.view = { ...this.view, layer };
    this.write();
    if (cell) await this.attempt(() => this.explain(of, cell));
  }

  /** Which numbers of a tensor are shown: its own, where it has no gradient. */
  layerOf(name: string): Layer {
    const { layer } = this.view;
    if (layer !== "gradient") return layer;
    return this.run && hasGradient(this.run, this.graph, name) ? layer : "value";
  }

  /** The ids of the text as it was typed. */
  get typed(): readonly number[] {
    return this.own;
  }

  /** The ids that are run, before any of them is replaced. */
  get ids(): readonly number[] {
    return this.view.ids ?? this.own;
  }

  /** Put a tensor on the stage. */
  show(name: string): void {
    this.view = { ...this.view, whole: false, name: this.graph.resolve(name) };
    this.write();
  }

  /** Put the whole model on the stage. */
  showWhole(): void {
    this.view = { ...this.view, whole: true };
    this.leave();
  }

  /** Choose a number, from anywhere: the way back begins there. */
  async choose(name: string, index: readonly number[]): Promise<void> {
    this.trail = [];
    await this.attempt(() => this.explain(name, index));
  }

  /** Go on to a number that the chosen one was made of. */
  async follow(name: string, index: readonly number[], role = ""): Promise<void> {
    const { explanation, trail, view } = this;
    if (explanation) this.trail = [...this.trail, stopOf(explanation, view.layer)];
    // The chain rule leads from gradients to values: each is looked at as what it is.
    const layer = role === ARRIVING ? "gradient" : view.layer === "before" ? "before" : "value";
    this.view = { ...view, layer };
    if (await this.attempt(() => this.explain(name, index))) return;
    [this.trail, this.view] = [trail, view];
  }

  /** Light what a number was made of, until another is pointed at or none. */
  async point(name: string, index: readonly number[]): Promise<void> {
    const { run } = this;
    const number = ++this.pointings;
    // Whoever only passes over a number does not want it explained.
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (number !== this.pointings || !run) return;
    // What cannot be explained says so to whoever chooses it.
    const made = await this.made(name, index).catch(() => null);
    if (number === this.pointings && run === this.run) this.pointed = made;
  }

  pointAway(): void {
    this.pointings += 1;
    this.pointed = null;
  }

  /** Return to a number on the way, the one before unless another is named; else to the whole. */
  async back(to = this.trail.length - 1): Promise<void> {
    const stop = this.trail[to];
    if (!stop) return this.view.cell ? this.leave() : this.showWhole();
    this.trail = this.trail.slice(0, to);
    this.view = { ...this.view, layer: stop.layer };
    await this.attempt(() => this.explain(stop.name, stop.index));
  }

  /** Choose no number. */
  leave(): void {
    this.choices += 1;
    this.trail = [];
    this.explanation = null;
    this.view = { ...this.view, cell: null };
    this.write();
  }

  setHead(head: number): void {
    this.view = { ...this.view, head };
    this.write();
  }

  /** Go to a stop of the tour. */
  setPlace({ chapter, stop }: { chapter: number; stop: number }): void {
    this.view = { ...this.view, chapter, stop };
    this.write();
  }

  /** Open something below the stage, by its name; "" closes it. */
  setDoing(doing: string): void {
    this.view = { ...this.view, doing };
    this.write();
  }

  private async explain(name: string, index: readonly number[]): Promise<void> {
    const number = ++this.choices;
    this.pointAway();
    const own = this.graph.has(name) ? this.graph.resolve(name) : name;
    const made = await this.made(own, index);
    // Of several that are asked for, the last is shown, whichever answer comes last.
    if (!made || number !== this.choices) return;
    this.explanation = made;
    this.view = { ...this.view, of: own, cell: index, head: this.headOf(own, index) };
    if (this.graph.has(own)) this.view = { ...this.view, whole: false, name: own };
    this.write();
  }

  /** The head on the stage where a number is chosen: its own, where it has one. */
  private headOf(name: string, index: readonly number[]): number {
    const heads = this.graph.sizes["head"] ?? 1;
    const dim = this.dims(name).findIndex((dim) => dim === "head" || dim === "kv_head");
    if (dim < 0) return this.view.head;
    // Several heads of queries may share one of keys.
    const shared = heads / this.shape(name)[dim];
    const { head } = this.view;
    return Math.floor(head / shared) === index[dim] ? head : index[dim] * shared;
  }

  /** How a number of the layer that is looked at was made; null before the first run. */
  private async made(name: string, index: readonly number[]): Promise<ExplanationData | null> {
    const layer = this.layerOf(name);
    const run = layer === "before" && this.before ? this.before : this.run;
    const kind = layer === "gradient" ? "gradient" : "value";
    // Whoever clicks while a text changes may mean a place that the new one does not have.
    if (run && !has(run, name, index)) throw new Error(`Nothing stands there in ${name} any more.`);
    return run && run.explain(kind, name, index, LARGEST);
  }

  /** Run what the view says. */
  private async rerun(): Promise<void> {
    const { ids, view, page } = this;
    const { changes, target, frame } = view;
    if (!this.source.live && (changes.length || view.ids)) {
      throw new Error("This page holds one run, of its own text, and cannot make another.");
    }
    checkIds([...idsWith(ids, changes)], target, this.graph.sizes);
    const last = (page.film?.steps.length ?? 0) - 1;
    // An address may be of another page, whose film is longer.
    const options = { target, frame: frame !== null && frame <= last ? frame : null };
    const { run, before } = await this.runs.compared(ids, changes, options);
    const labels = labelsOf(run.ids, page.vocabulary);
    const parameters = new Set(Object.keys(page.parameters.slots));
    this.graph = rewired(page.graph, parameters, editsOf(changes), labels);
    if (!this.graph.has(this.view.name) || !(this.view.name in run.shapes)) {
      // A step of an edit that was taken back, or the loss where nothing is to come next.
      this.view = { ...this.view, name: this.opening() };
    }
    [this.before, this.run] = [before, run];
    const { cell, of } = this.view;
    if (cell && has(run, of, cell)) await this.explain(of, cell);
    else this.leave();
  }

  /** Say what hinders a view. */
  hindered(why: string): void {
    this.trouble = why;
  }

  /** Do something, and say what hinders it; returns whether nothing did. */
  private async attempt(something: () => Promise<void>): Promise<boolean> {
    this.trouble = await this.whyNot(something);
    return this.trouble === "";
  }

  /** Do something; what hinders it in words, "" where nothing does. */
  private async whyNot(something: () => Promise<void>): Promise<string> {
    try {
      await something();
      return "";
    } catch (error) {
      if (error instanceof Cancelled) return "";
      return error instanceof Error ? error.message : String(error);
    }
  }

  private idsOf(text: string): number[] {
    return idsOf(text, this.tokenizer!, this.graph.sizes["position"]);
  }

  private opening(): string {
    const names = this.graph.names;
    return names.find((name) => name.endsWith(".attn.pattern")) ?? names[0];
  }

  private write(): void {
    this.history.keep(written(this.view), placeOf(this.view));
  }
}

/** Whether a run has such a cell. */
function has({ shapes }: Run, name: string, cell: readonly number[]): boolean {
  if (!Object.hasOwn(shapes, name)) return false;
  const shape = shapes[name];
  return cell.length === shape.length && cell.every((place, i) => place >= 0 && place < shape[i]);
}
