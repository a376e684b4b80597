/** How surprised the model was: cross-entropy, in nats. */

import { constants, still, workedOut } from "./slope";
import { zeros } from "../engine/tensor";
import type { Seen } from "./evidence";
import { andMore, bracketed, figure, largestOf, sumOfProducts } from "./figures";
import { byRow, inTurn, made, type Operation, type Parts } from "./operation";
import { INSIDE } from "./inside";
import { ALL, type Derivation, reach, summand, total } from "./term";

const NO_TARGET = -1;

const parts: Parts = {
  inside: INSIDE.cross_entropy,

  make(part, [logits, targets, logSum]) {
    if (part === "log_sum") return byRow(logits, logOfSum);
    return byRow(logits, (row, t) => {
      const target = targets.data[t];
      return target === NO_TARGET ? 0 : logSum.data[t] - row[target];
    });
  },

  moved(part, read, seen, cell) {
    const [place, token] = cell;
    if (part === "log_sum") {
      const share = Math.exp(seen.input(0).value(...cell) - seen.output.value(place));
      return { index: [place], values: Float64Array.of(share) };
    }
    const target = seen.input(1).value(place);
    const own = read === "log_sum" ? Number(target !== NO_TARGET) : token === target ? -1 : 0;
    return { index: [place], values: Float64Array.of(own) };
  },
};

/** `loss[t] = log Σᵥ exp(logits[t, v]) - logits[t, target[t]]`; the first term is `log_sum`. */
export const crossEntropy: Operation = {
  forward: inTurn(parts),
  parts,

  explain(seen, [place], _, extra) {
    const logits = seen.input(0);
    if (extra === "log_sum") return explainLogSum(logits, place);
    const targets = seen.input(1);
    const target = targets.value(place);
    if (target === NO_TARGET) {
      return {
        operands: [targets.at("target", place)],
        formula: `0: ${targets.say(place)} is no target`,
        latex: "0",
        substituted: "0",
        summands: [],
        rule: () => 0,
        rounding: 0,
      };
    }
    const logSum = seen.extra("log_sum");
    return {
      operands: [
        logSum.at("log_sum", place),
        logits.at("logit", place, target),
        targets.at("target", place),
      ],
      formula: `${logSum.say(place)} − ${logits.say(place, target)}`,
      latex: `${logSum.tex(place)} - ${logits.tex(place, target)}`,
      substituted: `${figure(logSum.value(place))} − ${bracketed(logits.value(place, target))}`,
      summands: [summand([0]), summand([1], -1)],
    };
  },

  slope(seen, _, cell) {
    const [place, token] = cell;
    const target = seen.input(1).value(place);
    if (target === NO_TARGET) return still([place], "0: no target here");
    const [logits, logSum, here] = [seen.input(0), seen.extra("log_sum"), Number(token === target)];
    const [x, s] = [logits.value(...cell), logSum.value(place)];
    return {
      index: [place],
      via: workedOut(Float64Array.of(Math.exp(x - s) - here)),
      formula: () => `exp(${logits.say(...cell)} − ${logSum.say(place)}) − ${here}`,
      latex: () => `\\exp(${logits.tex(...cell)} - ${logSum.tex(place)}) - ${here}`,
      sizes: Float64Array.of(Math.exp(x - s) * (1 + Math.abs(x)) + here),
    };
  },
};

/** The mean over all positions that have a target. */
export const meanLoss: Operation = {
  forward([loss, targets]) {
    const kept = loss.data.filter((_, t) => targets.data[t] !== NO_TARGET);
    const out = zeros([]);
    out.data[0] = total(Float64Array.from(kept)) / kept.length;
    return made(out);
  },

  explain(seen) {
    const [loss, targets] = [seen.input(0), seen.input(1)];
    const places = [...targets.tensor.data.keys()].filter((t) => targets.value(t) !== NO_TARGET);
    const pieces = loss.at("loss", places);
    return {
      operands: [pieces],
      formula: `Σ ${loss.say(ALL)} / ${places.length}`,
      latex: `\\frac{1}{${places.length}} \\sum ${loss.tex(ALL)}`,
      substituted: `(${sumOfProducts([pieces.values])}) / ${places.length}`,
      summands: [summand([0], 1 / places.length)],
    };
  },

  slope(seen, _, [place]) {
    const targets = seen.input(1).tensor.data;
    const n = targets.filter((target) => target !== NO_TARGET).length;
    if (targets[place] === NO_TARGET) return still([], "0: no target here");
    return {
      ...{ index: [], via: constants(1 / n) },
      ...{ formula: () => `1 / ${n}`, latex: () => `\\frac{1}{${n}}` },
    };
  },
};

/** log of the sum of exp over the vocabulary; a share says how much of the sum a logit is. */
function explainLogSum(logits: Seen, place: number): Derivation {
  const row = logits.at("logit", place, ALL);
  const shown = largestOf(row.values).map((number) => `exp(${number})`);
  return {
    operands: [row],
    formula: `log Σ exp(${logits.say(place, ALL)})`,
    latex: `\\log \\sum \\exp(${logits.tex(place, ALL)})`,
    substituted: `log(${andMore(shown, row.values.length).join(" + ")})`,
    summands: [],
    rule: logOfSum,
    weights: (x) => x.map((number) => Math.exp(number - logOfSum(x))),
    rounding: 1 + reach(row.values),
  };
}

/** `log Σ exp(x)`, without overflow. */
function logOfSum(x: Float64Array): number {
  const top = x.reduce((a, b) => Math.max(a, b), -Infinity);
  return top + Math.log(total(x.map((number) => Math.exp(number - top))));
}
