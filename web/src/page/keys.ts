/** The keys of the page, each with what it does: one table for the hand and for the list of help. */

import type { Explorer } from "./explorer.svelte";
import { stepFrom } from "./stack";

export interface Page {
  readonly explorer: Explorer;
  toggleTheme(): void;
  help(): void;
}

export interface Key {
  readonly key: string;
  readonly says: string;
  readonly does: (page: Page) => unknown;
}

export const KEYS: readonly Key[] = [
  { key: "?", says: "this list", does: (page) => page.help() },
  {
    key: "Escape",
    says: "back along the trail, then to the whole model",
    does: ({ explorer }) => leave(explorer),
  },
  { key: "/", says: "type another text", does: () => focus("header input") },
  { key: "[", says: "the step before", does: ({ explorer }) => step(explorer, -1) },
  { key: "]", says: "the next step", does: ({ explorer }) => step(explorer, 1) },
  { key: ",", says: "the head before", does: ({ explorer }) => turnHead(explorer, -1) },
  { key: ".", says: "the next head", does: ({ explorer }) => turnHead(explorer, 1) },
  { key: "m", says: "into the matrix on the stage", does: () => focus(".made [tabindex='0']") },
  { key: "t", says: "light or dark", does: (page) => page.toggleTheme() },
];

/** Keys that belong to a part of the page, which acts on them itself. */
export const ELSEWHERE: readonly { keys: string; says: string }[] = [
  { keys: "Tab", says: "from part to part" },
  { keys: "← ↑ → ↓", says: "in a matrix: from cell to cell" },
  { keys: "Home, End, Page ↑, Page ↓", says: "in a matrix: to its sides, a page of rows on" },
  { keys: "Enter", says: "take the number apart, follow an operand" },
  { keys: "Space, →, ←", says: "in the tour: one step on, one back" },
];

/** Do what a key stands for, unless somebody is typing. */
export function press(event: KeyboardEvent, page: Page): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const typing = (event.target as HTMLElement).closest?.("input, textarea, select, dialog");
  const found = KEYS.find(({ key }) => key === event.key);
  if (!found || (typing && event.key !== "Escape")) return;
  if (event.key !== "Escape") event.preventDefault();
  found.does(page);
}

async function leave(explorer: Explorer): Promise<void> {
  await explorer.back();
  // With no number chosen, keys are the page's again, and no longer the matrix's.
  if (!explorer.view.cell) (document.activeElement as HTMLElement | null)?.blur();
}

function step(explorer: Explorer, by: number): void {
  // From the whole, the first step is the next one.
  if (explorer.view.whole) return explorer.show(explorer.graph.nodes[0].name);
  explorer.show(stepFrom(explorer.graph, explorer.view.name, by));
}

function turnHead(explorer: Explorer, by: number): void {
  const heads = explorer.graph.sizes["head"] ?? 1;
  explorer.setHead(Math.min(Math.max(explorer.view.head + by, 0), heads - 1));
}

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}
