/** The tour as a row of stops: each a block of a chapter, and what the stage shows with it. */

import { kindOf } from "../page/kinds";
import type { BlockData, ChapterData, SpanData } from "../wire";

/** A tensor or a parameter, or one of its cells; of several heads, one of them. */
export interface Target {
  readonly name: string;
  readonly index: readonly number[] | null;
  readonly head?: number | null;
}

export interface Stop {
  /** The first and the last of its blocks, by their places in the chapter. */
  readonly from: number;
  readonly to: number;
  /** What is on the stage: what the stop is about, or was there already; null for the whole model. */
  readonly target: Target | null;
  /** The text on the stage; null for the tour's own. */
  readonly text: string | null;
}

/** Where somebody is: a chapter, and one of its stops. */
export interface Place {
  readonly chapter: number;
  readonly stop: number;
}

/** The stops of a chapter: a paragraph with what it leads to, and each of several that stand beside. */
export function stopsOf(chapter: ChapterData): Stop[] {
  const stops: Stop[] = [];
  let [target, text, apart]: [Target | null, string | null, boolean] = [null, null, true];
  chapter.blocks.forEach((block, place) => {
    if (block.block === "heading") {
      // What a section says of another text holds as long as the section.
      [text, apart] = [null, true];
      return;
    }
    text = textOf(block) ?? text;
    const last = stops[stops.length - 1];
    for (const [i, own] of leadsTo(chapter, place).entries()) {
      const joins = last && !apart && i === 0 && block.block !== "prose";
      if (joins && (!own || same(own, target))) stops[stops.length - 1] = { ...last, to: place };
      else {
        target = own ?? target;
        stops.push({ from: place, to: place, target, text });
      }
    }
    apart = false;
  });
  return stops;
}

/** What a block puts on the stage, one after the other; null where it leaves what is there. */
function leadsTo(chapter: ChapterData, place: number): (Target | null)[] {
  const block = chapter.blocks[place];
  const about = aboutOf(chapter, place);
  if (block.block !== "row" || !about.length) return [about[0] ?? null];
  // Of tensors that are made of each other the last shows them all; others are shown in turn.
  return block.joined ? [about[about.length - 1]] : about.filter(({ name }) => !isWeight(name));
}

function isWeight(name: string): boolean {
  return kindOf(name) === "weight";
}

function same(a: Target, b: Target | null): boolean {
  return a.name === b?.name;
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
    const told = chapters[chapter];
    const stop = stopsOf(told).findIndex(({ from, to, target }) => {
      if (target && isAbout(target)) return true;
      return told.blocks.slice(from, to + 1).some((_, i) => aboutOf(told, from + i).some(isAbout));
    });
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
  if (!found || textIn(span) !== null) return [];
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

/** The text that a block speaks of instead of the tour's own; null where it names none. */
function textOf(block: BlockData): string | null {
  if (block.block !== "prose") return null;
  return (
    block.paragraphs
      .flat()
      .map(textIn)
      .find((text) => text !== null) ?? null
  );
}

/** The text that a run of words stands for: `text:groot likes`. */
export function textIn(span: SpanData): string | null {
  const target = typeof span === "string" ? "" : (span.target ?? "");
  return target.startsWith(TEXT) ? target.slice(TEXT.length) : null;
}

const TEXT = "text:";

/** What a block names; a paragraph that names nothing is about what follows it. */
export function aboutOf({ blocks }: ChapterData, place: number): Target[] {
  const block = blocks[place];
  const own = targetsOf(block);
  const next = blocks[place + 1];
  if (own.length || block.block !== "prose" || !next || next.block === "prose") return own;
  // Of what is made of each other, the last is what all of it leads to.
  const about = targetsOf(next);
  return next.block === "row" && next.joined ? [...about].reverse() : about;
}
