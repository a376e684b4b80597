/** The engine in the browser equals Python's, on every tensor and in every explanation. */

import { describe, expect, test } from "vitest";
import { edited } from "../src/engine/edited";
import { forward } from "../src/engine/engine";
import { Explainer } from "../src/engine/explain";
import { KINDS } from "../src/ops/registry";
import { reach } from "../src/ops/term";
import type { ExplanationData, Spelled } from "../src/wire";
import { type Fixture, fixtures, kinds } from "./fixtures";

const CLOSE = 1e-5;

/** For training, which a page does not do. */
const ELSEWHERE = ["dropout"];

test("every operation that runs in a page is here", () => {
  expect([...KINDS].sort()).toEqual(kinds().filter((kind) => !ELSEWHERE.includes(kind)));
});

describe.each(fixtures())("$name", (fixture: Fixture) => {
  const { graph, parameters } = edited(
    fixture.graph,
    fixture.parameters,
    fixture.edits,
    fixture.labels,
  );
  const weights = new Map([...parameters].map(([name, { tensor }]) => [name, tensor]));
  const values = forward(graph, weights, fixture.ids, fixture.targets);

  test("every tensor is Python's", () => {
    for (const [name, expected] of fixture.values) {
      const found = values.get(name);
      expect(found?.shape, name).toEqual(expected.shape);
      // Where numbers of 30 are added up, one of 1 has the rounding of 30.
      const scale = Math.max(1, reach(expected.data));
      expected.data.forEach((value, i) =>
        expectClose(found!.data[i], value, `${name}[${i}]`, scale),
      );
    }
  });

  test("every gradient is Python's in 64 bits, from which its own in 32 are as far", () => {
    const { gradients } = new Explainer(graph, parameters, values, fixture.labels);
    for (const [name, expected] of fixture.exactGradients) {
      const found = gradients.of(name);
      expect(found.shape, name).toEqual(expected.shape);
      const scale = Math.max(1, reach(expected.data));
      expected.data.forEach((value, i) =>
        expectClose(found.data[i], value, `gradient ${name}[${i}]`, scale),
      );
    }
  });

  test("every explanation is Python's", () => {
    const inputs = [...values].filter(([name]) => !fixture.values.has(name));
    const explainer = new Explainer(
      graph,
      parameters,
      // Python's own numbers, so that the same products are the largest.
      new Map([...inputs, ...fixture.values]),
      fixture.labels,
      fixture.gradients,
    );
    for (const { index, expected } of fixture.explanations) {
      const found =
        expected.kind === "value"
          ? explainer.explain(expected.name, index, 4)
          : explainer.explainGradient(expected.name, index, 4);
      expectSame(found, expected);
    }
  });
});

/** Words are equal, numbers close. */
function expectSame(found: ExplanationData, expected: ExplanationData): void {
  const where = `${expected.name}[${expected.where}]`;
  compare(found, { ...expected, error: found.error, tolerance: found.tolerance }, where);
  expect(asNumber(found.error), where).toBeLessThanOrEqual(asNumber(expected.tolerance));
  expectClose(asNumber(found.tolerance), asNumber(expected.tolerance), `${where} tolerance`);
}

/** As `expect`, which takes longer for each number than the engine. */
function compare(found: unknown, expected: unknown, where: string): void {
  if (typeof expected === "number") return expectClose(found as number, expected, where);
  if (typeof expected !== "object" || expected === null) {
    if (found !== expected) expect(found, where).toBe(expected);
    return;
  }
  const keys = (of: object) => Object.keys(of).sort().join();
  if (keys(found as object) !== keys(expected)) expect(found, where).toEqual(expected);
  for (const [key, value] of Object.entries(expected)) {
    compare((found as Record<string, unknown>)[key], value, `${where}.${key}`);
  }
}

function expectClose(
  found: number,
  expected: number,
  where: string,
  scale = Math.max(1, Math.abs(expected)),
): void {
  if (Object.is(found, expected) || found === expected) return;
  const near = Math.abs(found - expected) <= CLOSE * scale;
  if (!near) expect.fail(`${where}: ${found} is not ${expected}`);
}

function asNumber(value: Spelled): number {
  return typeof value === "number" ? value : Number(value);
}
