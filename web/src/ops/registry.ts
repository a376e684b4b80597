/** Every operation by its kind, as the graph names it. */

import { alibi } from "./alibi";
import { mix, scores } from "./attention";
import { change } from "./change";
import { embedding } from "./embedding";
import { gate } from "./gate";
import { gelu, geluTanh } from "./gelu";
import { mergeHeads, remember, splitHeads } from "./heads";
import { layerNorm } from "./layer_norm";
import { linear } from "./linear";
import { crossEntropy, meanLoss } from "./loss";
import { causalMask } from "./mask";
import { meanOver } from "./mean_over";
import type { Operation } from "./operation";
import { partOf } from "./part";
import { sinusoidal } from "./position";
import { relu, reluSquared } from "./relu";
import { add } from "./residual";
import { rmsNorm } from "./rms_norm";
import { rotate } from "./rotary";
import { scale } from "./scale";
import { geluQuick, silu } from "./silu";
import { softCap } from "./soft_cap";
import { softmax } from "./softmax";

const OPERATIONS: ReadonlyMap<string, Operation<never>> = new Map<string, Operation<never>>([
  ["add", add],
  ["alibi", alibi],
  ["causal_mask", causalMask],
  ["change", change],
  ["cross_entropy", crossEntropy],
  ["embedding", embedding],
  ["gate", gate],
  ["gelu", gelu],
  ["gelu_quick", geluQuick],
  ["gelu_tanh", geluTanh],
  ["layer_norm", layerNorm],
  ["linear", linear],
  ["mean_loss", meanLoss],
  ["mean_over", meanOver],
  ["merge_heads", mergeHeads],
  ["mix", mix],
  ["part", partOf(operationOf)],
  ["relu", relu],
  ["relu_squared", reluSquared],
  ["remember", remember],
  ["rms_norm", rmsNorm],
  ["rotate", rotate],
  ["scale", scale],
  ["scores", scores],
  ["silu", silu],
  ["sinusoidal", sinusoidal],
  ["soft_cap", softCap],
  ["softmax", softmax],
  ["split_heads", splitHeads],
]);

/** The kinds that there are. */
export const KINDS: readonly string[] = [...OPERATIONS.keys()];

/** The operation of a step; its settings were written by the same class in Python. */
export function operationOf(kind: string): Operation<unknown> {
  const found = OPERATIONS.get(kind);
  if (!found) throw new Error(`This page has no operation "${kind}".`);
  return found as Operation<unknown>;
}
