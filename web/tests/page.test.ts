/** Parts of the page that need no browser: copies, windows onto large matrices, steps that fold. */

import { describe, expect, it } from "vitest";
import { Graph } from "../src/engine/graph";
import { chainOf } from "../src/page/chain";
import { csv } from "../src/page/copying";
import { layoutOf } from "../src/page/layout";
import { stepsOf } from "../src/page/steps";
import { Window } from "../src/page/window.svelte";
import type { GraphNode } from "../src/wire";

describe("a matrix as CSV", () => {
  it("keeps every digit, quotes what needs it, and names what is no number", () => {
    const dims = ["query", "key"];
    const tokens = ['say "hi"', "a,b"];
    const written = csv({
      name: "scores",
      dims,
      layout: layoutOf(dims, [2, 2], 0, 1),
      numbers: Float32Array.of(0.1, -Infinity, NaN, 3),
      layer: "value",
      changed: null,
      sight: { top: 0, left: 0, rows: 2, columns: 2 },
      extent: { reach: 3, endless: true, none: true },
      pixels: null,
      labels: { rows: tokens, columns: tokens },
    });
    const [first, second, third, end] = written.split("\r\n");
    expect(first).toBe('scores,"say ""hi""","a,b"');
    expect(second).toBe(`"say ""hi""",${Math.fround(0.1)},-inf`);
    expect(third).toBe('"a,b",nan,3');
    expect(end).toBe("");
  });
});

describe("a window onto a large matrix", () => {
  const open = () =>
    new Window(
      () => ({ height: 40, width: 30 }),
      () => ({ rows: 16, columns: 12 }),
    );

  it("follows the keyboard to the last cell and back", () => {
    const sight = open();
    sight.move("End", true);
    expect(sight.active).toEqual({ row: 39, column: 29 });
    expect([sight.first("top"), sight.rows]).toEqual([32, 8]);
    expect([sight.first("left"), sight.columns]).toEqual([24, 6]);
    sight.move("Home", true);
    expect([sight.first("top"), sight.first("left")]).toEqual([0, 0]);
  });

  it("stays within the matrix, and leaves other keys alone", () => {
    const sight = open();
    sight.move("ArrowUp", false);
    sight.move("ArrowLeft", false);
    expect(sight.active).toEqual({ row: 0, column: 0 });
    expect(sight.move("x", false)).toBe(false);
  });

  it("turns pages so that nothing is passed over", () => {
    const sight = open();
    const seen = new Set<number>();
    for (let page = 0; page < 3; page++) {
      for (let row = 0; row < sight.rows; row++) seen.add(sight.first("top") + row);
      sight.turn("top", 1);
    }
    expect(seen.size).toBe(40);
  });
});

describe("the steps of attention", () => {
  const step = (name: string, kind: string, inputs: string[], parameters: string[] = []) =>
    ({
      name,
      kind,
      inputs,
      parameters,
      extras: [],
      dims: [],
      settings: {},
    }) as unknown as GraphNode;
  const nodes = [
    step("b.attn.q_flat", "linear", ["x"], ["b.attn.w_q"]),
    step("b.attn.q", "split_heads", ["b.attn.q_flat"]),
    step("b.attn.k_flat", "linear", ["x"], ["b.attn.w_k"]),
    step("b.attn.k", "split_heads", ["b.attn.k_flat"]),
    step("b.attn.keys", "remember", ["b.attn.k"]),
    step("b.attn.z", "mix", ["b.attn.q", "b.attn.keys"]),
    step("b.attn.out", "merge_heads", ["b.attn.z"]),
  ];
  const graph = new Graph({ nodes, aliases: {}, sizes: {} });
  const names = nodes.map(({ name }) => name);

  it("fold what is only handed on into what everybody speaks of", () => {
    const steps = stepsOf(graph, names);
    expect(steps.map(({ name }) => name)).toEqual([
      "b.attn.q",
      "b.attn.k",
      "b.attn.z",
      "b.attn.out",
    ]);
    expect(steps.flatMap(({ members }) => members).toSorted()).toEqual(names.toSorted());
  });

  it("show a folded step behind the weights that made it", () => {
    const chain = chainOf(graph, graph.owner("b.attn.q"));
    const tensors = chain.flatMap((link) => ("tensor" in link ? [link.tensor] : []));
    expect(tensors).toEqual(["x", "b.attn.w_q", "b.attn.q_flat", "b.attn.q"]);
  });
});
