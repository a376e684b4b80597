/** Formulas, set by KaTeX. */

import katex from "katex";

/** A formula as HTML that is safe to put on the page: KaTeX escapes every text in it. */
export function formula(latex: string, display = false): string {
  return katex.renderToString(latex, { displayMode: display, throwOnError: false, trust: false });
}
