/** How a tensor's numbers are to be read, by its name; as `kind_of` in pellucid/views/matrix.py. */

import { withoutEdit } from "../engine/names";

export type MatrixKind = "signed" | "probability" | "weight" | "ids" | "plain";

const BY_ENDING: Readonly<Record<string, MatrixKind>> = {
  pattern: "probability",
  probs: "probability",
  cdf: "probability",
  mean: "plain",
  rstd: "plain",
  rrms: "plain",
  max: "plain",
  sum: "plain",
  log_sum: "plain",
  loss: "plain",
  per_position: "plain",
  token_embedding: "weight",
  position_embedding: "weight",
  gamma: "weight",
  beta: "weight",
  w: "weight",
  b: "weight",
};

/** What a model is given, whole numbers; `embed.positions` are rows of a table, and not among them. */
const IDS: ReadonlySet<string> = new Set(["ids", "positions", "targets", "lengths"]);

export function kindOf(edited: string): MatrixKind {
  const name = withoutEdit(edited);
  if (IDS.has(name)) return "ids";
  const ending = name.slice(name.lastIndexOf(".") + 1);
  if (ending.startsWith("w_") || ending.startsWith("b_")) return "weight";
  return BY_ENDING[ending] ?? "signed";
}
