/** The tour is one row of stops, from the first word to the last chapter. */

import { expect, test } from "vitest";
import {
  aboutOf,
  chapterCalled,
  moved,
  type Place,
  stopsOf,
  targetOf,
  tellingOf,
  within,
} from "../src/tour/stops";
import type { BlockData, ChapterData } from "../src/wire";

const heading: BlockData = { block: "heading", text: "Scores", level: 2 };
const words: BlockData = { block: "prose", paragraphs: [["How well does a query match?"]] };
const cell: BlockData = {
  block: "prose",
  paragraphs: [["It is ", { text: "1.83", kind: "link", target: "attn.scores[0,2,1]" }, "."]],
};

function tensor(name: string): BlockData {
  return { block: "tensor", name, title: name, note: null, head: null };
}

const chapters: ChapterData[] = [
  { title: "Opening", blocks: [words] },
  { title: "Part 1: Data", blocks: [heading] },
  {
    title: "Part 2: Attention",
    blocks: [
      heading,
      words,
      { block: "row", blocks: [tensor("attn.q"), tensor("attn.k")], joined: false },
      words,
      heading,
      cell,
    ],
  },
  { title: "Part 3: The block", blocks: [words, tensor("attn.q")] },
];

const table: BlockData = { block: "table", title: null, columns: [], rows: [], note: null };
const other: BlockData = {
  block: "prose",
  paragraphs: [["After ", { text: '"we am"', kind: "link", target: "text:we am" }, "?"]],
};

function blocksOf(blocks: BlockData[]): string[] {
  return stopsOf({ title: "", blocks }).map(({ from, to }) => `${from}–${to}`);
}

test("a paragraph is one stop with what it leads to, and headings part stops", () => {
  expect(blocksOf([words, table, words])).toEqual(["0–1", "2–2"]);
  expect(blocksOf([words, tensor("attn.q"), table])).toEqual(["0–2"]);
  expect(blocksOf([words, heading, table])).toEqual(["0–0", "2–2"]);
});

test("another tensor than the paragraph's is a stop of its own", () => {
  expect(blocksOf([cell, tensor("attn.scores"), tensor("attn.q")])).toEqual(["0–1", "2–2"]);
});

test("tensors that stand beside each other come one after the other", () => {
  const [q, k, after] = stopsOf(chapters[2]);
  expect([q, k].map(({ target }) => target?.name)).toEqual(["attn.q", "attn.k"]);
  expect([q.from, q.to, k.from, k.to]).toEqual([1, 2, 2, 2]);
  expect(after.target?.name).toBe("attn.k");
});

test("of tensors that are made of each other the last is shown, and weights are not", () => {
  const row = (joined: boolean, ...names: string[]): BlockData => {
    return { block: "row", blocks: names.map(tensor), joined };
  };
  const shown = (block: BlockData) =>
    stopsOf({ title: "", blocks: [words, block] }).map(({ target }) => target?.name);
  expect(shown(row(true, "embed.out", "attn.out", "resid_mid"))).toEqual(["resid_mid"]);
  expect(shown(row(false, "attn.w_q", "attn.w_k"))).toEqual(["attn.w_q"]);
});

test("before anything is told of, the whole model is on the stage", () => {
  expect(stopsOf({ title: "", blocks: [words, cell] })[0].target).toBeNull();
});

test("another text holds until the section ends", () => {
  const stops = stopsOf({ title: "", blocks: [words, other, words, heading, words] });
  expect(stops.map(({ text }) => text)).toEqual([null, "we am", "we am", null]);
});

test("a number that is quoted puts its cell on the stage", () => {
  expect(stopsOf(chapters[2])[3].target).toEqual({ name: "attn.scores", index: [0, 2, 1] });
});

test("steps lead through all chapters and back the same way", () => {
  const way: Place[] = [];
  let at: Place | null = { chapter: 0, stop: 0 };
  while (at) {
    way.push(at);
    at = moved(chapters, at, 1);
  }
  expect(way.map(({ chapter, stop }) => `${chapter}.${stop}`)).toEqual(
    ["0.0", "1.0", "2.0", "2.1", "2.2", "2.3", "3.0"], // prettier-ignore
  );
  const back: Place[] = [];
  for (at = way[way.length - 1]; at; at = moved(chapters, at, -1)) back.unshift(at);
  expect(back).toEqual(way);
});

test("an address that names no stop leads to the nearest", () => {
  expect(within(chapters, { chapter: 2, stop: 1 })).toEqual({ chapter: 2, stop: 1 });
  expect(within(chapters, { chapter: 99, stop: 99 })).toEqual({ chapter: 3, stop: 0 });
  expect(within(chapters, { chapter: 1, stop: 5 })).toEqual({ chapter: 1, stop: 0 });
});

test("the text about a tensor is sought in the chapter that is read, then in all", () => {
  const isQ = ({ name }: { name: string }) => name === "attn.q";
  expect(tellingOf(chapters, 3, isQ)).toEqual({ chapter: 3, stop: 0 });
  expect(tellingOf(chapters, 0, isQ)).toEqual({ chapter: 2, stop: 0 });
  expect(tellingOf(chapters, 0, ({ name }) => name === "logits")).toBeNull();
});

test("a target is a tensor or one of its cells", () => {
  const to = (target: string) => targetOf({ text: "", kind: "link", target });
  expect(to("embed.out")).toEqual([{ name: "embed.out", index: null }]);
  expect(to("loss[]")).toEqual([{ name: "loss", index: [] }]);
  expect(to("probs[3,12]")).toEqual([{ name: "probs", index: [3, 12] }]);
  expect(targetOf("plain")).toEqual([]);
  expect(targetOf({ text: "q", kind: "bold" })).toEqual([]);
});

test("an equation is about its left side", () => {
  const about = (plain: string) =>
    aboutOf({ title: "", blocks: [{ block: "equation", plain, latex: null }] }, 0);
  expect(about("logits = norm2 · head.w")).toEqual([{ name: "logits", index: null }]);
  expect(about("embed.out[groot, 5] = 1 + 2")).toEqual([{ name: "embed.out", index: null }]);
  expect(about("√8 = 2.83")).toEqual([]);
});

test("a chapter is called by its title", () => {
  expect(chapterCalled(chapters, "Attention")).toBe(2);
  expect(chapterCalled(chapters, "Nothing")).toBeNull();
});
