/** The tour as a row of stops: each a block of a chapter, and what the stage shows with it. */

import type { BlockData, ChapterData, SpanData } from "../wire";

/** A tensor or a parameter, or one of its cells; of several heads, one of them. */
export interface Target {
  readonly name: string;
  readonly index: readonly number[] | null;
  readonly head?: number | null;
}

export interface Stop {
  /** The place of the block in its chapter. */
  readonly block: number;
  /** What it is about; of several, the first goes on the stage. */
  readonly about: readonly Target[];
  /** What is on the stage: where a block is about nothing, what is there already. */
  readonly target: Target | null;
}

/** Where somebody is: a chapter, and one of its stops. */
export interface Place {
  readonly chapter: number;
  readonly stop: number;
}

/** The stops of a chapter: its blocks, each with the tensors that it or its neighbour is about. */
export function stopsOf(chapter: ChapterData): Stop[] {
  let target: Target | null = null;
  return chapter.blocks.flatMap((block, place) => {
    if (block.block === "heading") return [];
    const about = aboutOf(chapter, place);
    target = about[0] ?? target;
    return [{ block: place, about, target }];
  });
}

/** So many stops on, chapter after chapter; null beyond either end. */
export function moved(chapters: readonly ChapterData[], at: Place, by: number): Place | null {
  const stop = at.stop + by;
  const last = stopsOf(chapters[at.chapter]).length - 1;
  if (stop >= 0 && stop <= last) return { chapter: at.chapter, stop };
  const chapter = at.chapter + Math.sign(by);
  if (!chapters[chapter]) return null;
  return { chapter, stop: by > 0 ? 0 : Math.max(stopsOf(chapters[chapter]).length - 1, 0) };
}

/** The nearest place, whatever an address says. */
export function within(chapters: readonly ChapterData[], { chapter, stop }: Place): Place {
  const there = Math.min(chapter, chapters.length - 1);
  return { chapter: there, stop: Math.max(Math.min(stop, stopsOf(chapters[there]).length - 1), 0) };
}

/**
 * Where the tour tells of a tensor: in the chapter that is read, or else the first that does.
 *
 * @param isAbout whether a target is that tensor.
 */
export function tellingOf(
  chapters: readonly ChapterData[],
  here: number,
  isAbout: (target: Target) => boolean,
): Place | null {
  const order = [here, ...chapters.keys()];
  for (const chapter of order) {
    const stop = stopsOf(chapters[chapter]).findIndex(({ about }) => about.some(isAbout));
    if (stop >= 0) return { chapter, stop };
  }
  return null;
}

/** Every tensor that a block names, in order. */
export function targetsOf(block: BlockData): Target[] {
  switch (block.block) {
    case "tensor":
    case "flow":
      return [{ name: block.name, index: null, head: block.head }];
    case "network":
      return [...block.layers.slice(1, -1), ...block.layers].map(({ name }) => ({
        name,
        index: null,
      }));
    case "equation":
      return sideOf(block.plain);
    case "row":
      return block.blocks.flatMap(targetsOf);
    case "prose":
      return block.paragraphs.flat().flatMap(targetOf);
    default:
      return [];
  }
}

/** What a run of text points at: `name`, or `name[0,1,2]`. */
export function targetOf(span: SpanData): Target[] {
  const target = typeof span === "string" ? "" : span.target;
  const found = /^([^[\]]+)(?:\[([\d,]*)\])?$/.exec(target ?? "");
  if (!found) return [];
  const [, name, index] = found;
  const cell = index === undefined ? null : index.split(",").filter(Boolean).map(Number);
  return [{ name, index: cell }];
}

/** What an equation is of: `logits = …`, `embed.out[groot, 5] = …`. */
function sideOf(equation: string): Target[] {
  const [, name] = /^([a-z][\w.]*)(?:\[[^\]]*\])? = /.exec(equation) ?? [];
  return name ? [{ name, index: null }] : [];
}

/** The chapter that goes by a name: "Part 4: Attention" by "Attention". */
export function chapterCalled(chapters: readonly ChapterData[], name: string): number | null {
  const found = chapters.findIndex(({ title }) => title.endsWith(`: ${name}`));
  return found < 0 ? null : found;
}

/** What a block names; a paragraph that names nothing is about what follows it. */
function aboutOf({ blocks }: ChapterData, place: number): Target[] {
  const block = blocks[place];
  const own = targetsOf(block);
  const next = blocks[place + 1];
  if (own.length || block.block !== "prose" || !next || next.block === "prose") return own;
  return targetsOf(next);
}
