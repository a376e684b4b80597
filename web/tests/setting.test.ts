/** What is done with a model survives its address, and what is no edit is refused in words. */

import { expect, test } from "vitest";
import { editsOf, idsWith, readChanges } from "../src/doing/changes";
import { PLAIN, readSetting, type Setting, writeSetting } from "../src/doing/setting";

const SETTING: Setting = {
  ids: [1, 11, 3],
  changes: [
    { edit: "set_to", name: "logits", cell: { position: 2, vocab: 0 }, value: "-Infinity" },
    { edit: "token", position: 1, id: 5 },
  ],
  target: 7,
  frame: 0,
  sampling: { temperature: 0, top_k: 4, top_p: 0.9, min_p: null, repetition_penalty: 1.2 },
  uniform: 0.25,
  layer: "gradient",
};

test.each([SETTING, PLAIN])("a setting is read as it was written", (setting) => {
  const parts = new URLSearchParams();
  writeSetting(parts, setting);
  expect(readSetting(new URLSearchParams(parts.toString()))).toEqual(setting);
});

test("what is as always is left out of an address", () => {
  const parts = new URLSearchParams();
  writeSetting(parts, PLAIN);
  expect(parts.toString()).toBe("");
});

test("replaced tokens change the ids, and are no edits of Python's", () => {
  expect(idsWith([1, 11, 3], SETTING.changes)).toEqual([1, 5, 3]);
  expect(editsOf(SETTING.changes)).toEqual(SETTING.changes.slice(0, 1));
});

test.each([
  ["{", "no JSON"],
  ["{}", "a list of them is needed"],
  ['[{"edit":"explode"}]', 'no edit "explode"'],
  ["[null]", "no edit"],
  ['[{"edit":"zero"}]', "the name of a tensor"],
  ['[{"edit":"token","position":-1,"id":2}]', "its position and its id"],
  ['[{"edit":"zero","name":"logits","steps":[1]}]', "steps"],
])("%s is refused", (text, why) => {
  expect(() => readChanges(text)).toThrow(why);
});
