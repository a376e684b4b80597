/** Smooth gates: each number times the share of a distribution that lies below it. */

import { joined, mapped } from "../engine/tensor";
import { figure, sumOfProducts } from "./figures";
import { inTurn, type Operation, type Parts } from "./operation";
import { gated } from "./inside";
import { workedOut } from "./slope";
import { summand } from "./term";

/** What tells one smooth gate from another. */
export interface Gate {
  /** The name of the one extra: the share. */
  readonly extra: string;
  readonly letter: string;
  readonly letterInLatex: string;
  /** What lies below a number. */
  share(x: number): number;
  /** How the share grows with the number. */
  density(x: number, share: number): number;
  /** What the share is of, in words and in LaTeX. */
  argument(x: string): string;
}

/** `x · share(x)`; the share is kept. */
export function smoothGate(gate: Gate): Operation {
  const parts: Parts = {
    inside: () => gated(gate.extra),

    make: (part, [x, share]) =>
      part === "" ? joined(x, share, (a, b) => a * b) : mapped(x, gate.share),

    moved(part, read, seen, cell) {
      const at = seen.input(0).value(...cell);
      if (part !== "") {
        const density = gate.density(at, seen.output.value(...cell));
        return { index: cell, values: Float64Array.of(density) };
      }
      const other = read === "input 0" ? seen.extra(gate.extra).value(...cell) : at;
      return { index: cell, values: Float64Array.of(other) };
    },
  };
  return {
    forward: inTurn(parts),
    parts,

    explain(seen, cell, _, extra) {
      const x = seen.input(0);
      const at = x.at("x", ...cell);
      const below = `${gate.letterInLatex}(${gate.argument(x.tex(...cell))})`;
      if (extra !== null) {
        return {
          operands: [at],
          formula: `${gate.letter}(${gate.argument(x.say(...cell))})`,
          latex: below,
          substituted: `${gate.letter}(${gate.argument(figure(at.values[0]))})`,
          summands: [],
          rule: (x) => gate.share(x[0]),
          rounding: 1 + Math.abs(at.values[0]),
        };
      }
      const shares = seen.extra(gate.extra);
      const share = shares.at("share", ...cell);
      return {
        operands: [at, share],
        formula: `${x.say(...cell)} · ${shares.say(...cell)}`,
        latex: `${x.tex(...cell)} \\cdot ${below}`,
        substituted: sumOfProducts([at.values, share.values]),
        summands: [summand([0, 1])],
      };
    },

    slope(seen, _, cell) {
      const x = seen.input(0);
      const [at, share] = [x.value(...cell), seen.extra(gate.extra).value(...cell)];
      const density = gate.density(at, share);
      return {
        index: cell,
        via: workedOut(Float64Array.of(share + at * density)),
        formula: () => `${gate.letter} + ${x.say(...cell)} · ${gate.letter}′`,
        latex: () => `${gate.letterInLatex} + ${x.tex(...cell)} \\cdot ${gate.letterInLatex}'`,
        sizes: Float64Array.of((share + Math.abs(at * density)) * (1 + Math.abs(at))),
      };
    },
  };
}
