/** The page of a stored run; apart from the run, so that the page's own script has no operations. */

import type { PageData } from "../wire";
import { withSteps } from "./edits";
import { labelsOf } from "./labels";

/** A page whose graph has the steps of its stored run: the edits that were made on the way. */
export function asStored(page: PageData): PageData {
  const { trace, graph, vocabulary, parameters } = page;
  if (!trace?.edits.length) return page;
  const labels = labelsOf(trace.ids, vocabulary);
  const names = new Set(Object.keys(parameters.slots));
  return { ...page, graph: withSteps(graph, names, trace.edits, labels) };
}
