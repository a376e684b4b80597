/** The tour as a row of stops: each a block of prose, and what the stage shows with it. */

import type { BlockData, ChapterData, SpanData } from "../wire";

/** A tensor, or one of its cells. */
export interface Target {
  readonly name: string;
  readonly index: readonly number[] | null;
}

export interface Stop {
  /** The place of the block in its chapter. */
  readonly block: number;
  /** What is on the stage; null where the stop before it decides. */
  readonly target: Target | null;
}

/** The stops of a chapter: its paragraphs, each with the tensor that it or its neighbour is about. */
export function stopsOf(chapter: ChapterData): Stop[] {
  return chapter.blocks.flatMap((block, place) => {
    if (block.block === "heading") return [];
    const target = targetsOf(block)[0] ?? (block.block === "prose" ? after(chapter, place) : null);
    return [{ block: place, target }];
  });
}

/** Every tensor that a block names, in order. */
export function targetsOf(block: BlockData): Target[] {
  switch (block.block) {
    case "tensor":
      return [{ name: block.name, index: null }];
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
  const found = /^([^[\]]+)(?:\[([\d,]*)\])?$/.exec(span.target ?? "");
  if (!found) return [];
  const [, name, index] = found;
  const cell = index === undefined ? null : index.split(",").filter(Boolean).map(Number);
  return [{ name, index: cell }];
}

/** The tensor that follows a paragraph is what it is about. */
function after({ blocks }: ChapterData, place: number): Target | null {
  const next = blocks[place + 1];
  return next && next.block !== "heading" ? (targetsOf(next)[0] ?? null) : null;
}
