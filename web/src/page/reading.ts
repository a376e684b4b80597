/** A number in words: what it says about the text. */

import type { ExplanationData } from "../wire";
import { asNumber, long, percent, short } from "./number";

/** What an explained number says, in one sentence. `token` names what stands at a place of a dim. */
export function reading(
  said: ExplanationData,
  token: (dim: string, place: number) => string,
  heads: number,
): string {
  const { name, cell } = said;
  const value = asNumber(said.value);
  const word = (dim: string) => `“${token(dim, cell[dim])}”`;
  const inHead = heads > 1 && "head" in cell ? `In head ${cell["head"]}, ` : "";
  const begun = (text: string) => (inHead ? inHead + text : text[0].toUpperCase() + text.slice(1));
  const ending = said.kind === "value" ? name.slice(name.lastIndexOf(".") + 1) : "";
  switch (ending) {
    case "pattern":
      return begun(`${word("query")} gives ${percent(value)} of its attention to ${word("key")}.`);
    case "masked_scores":
      if (value === -Infinity) {
        return begun(`${word("query")} may not look at ${word("key")}, which comes later.`);
      }
      return begun(score(word, value));
    case "scores":
      return begun(score(word, value));
    case "probs":
      return `After ${word("position")}, ${word("vocab")} comes next with ${percent(value)}.`;
    case "logits":
      return `After ${word("position")}, ${word("vocab")} scores ${short(value)} as next token.`;
    default:
      return `${said.title}${said.where ? `, at ${said.where}` : ""}: ${short(value)}.`;
  }
}

/** What is said of a number to those who do not see the page. */
export function spoken(said: ExplanationData, sentence: string): string {
  const parts = said.contributions.slice(0, 3).map(({ terms, value }) => {
    const operands = terms.map(
      (term) => `${term.name} at ${term.where}, ${short(asNumber(term.value))}`,
    );
    return `${operands.join(" times ")} adds ${short(asNumber(value))}`;
  });
  const made = parts.length ? ` Its largest parts: ${parts.join("; ")}.` : "";
  return `${sentence} ${said.name} is ${long(asNumber(said.value))}, ${said.formula}.${made}`;
}

function score(word: (dim: string) => string, value: number): string {
  return `the query of ${word("query")} matches the key of ${word("key")} with ${short(value)}.`;
}
