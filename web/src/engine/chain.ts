/** The chain rule at one cell: what arrived at each of its readers, times how that moves with it. */

import type { Seen } from "../ops/evidence";
import { figure, sumOfProducts } from "../ops/figures";
import type { Slope } from "../ops/slope";
import { ALL, cellOf, type Derivation, type Operands, summand } from "../ops/term";

/** The role of gradients in the chain rule: they are explained as gradients, not as values. */
export const ARRIVING = "arriving gradient";

/** One reader of a cell: the gradient of its output, and the slope of that output. */
export interface Link {
  readonly gradient: Operands;
  readonly slope: Slope;
  readonly said: string;
  readonly tex: string;
}

/** From the gradient of the reader's whole output, under the output's own name. */
export function linkOf(output: Seen, slope: Slope): Link {
  const gradient = output.at(ARRIVING, ...slope.index);
  const one = gradient.values.length === 1;
  const places = one
    ? cellOf(gradient, 0)
    : slope.index.map((place) => (typeof place === "number" ? place : ALL));
  return { gradient, slope, said: output.say(...places), tex: output.tex(...places) };
}

/** The sum over all readers of a cell. */
export function chainRule(links: readonly Link[]): Derivation {
  if (!links.length) {
    return constant(0, "nothing on the way to the loss reads it", "0");
  }
  return {
    operands: links.flatMap(({ gradient, slope }) => [gradient, slope.via]),
    formula: links.map(formula).join(" + "),
    latex: links.map(latex).join(" + "),
    substituted: links.map(substituted).join(" + "),
    summands: links.map(({ slope }, i) => summand([2 * i, 2 * i + 1], slope.scale)),
    rounding: links.reduce((sum, link) => sum + size(link), 0),
  };
}

/** Where every gradient starts. */
export function atTheLoss(): Derivation {
  return constant(1, "by definition", "1");
}

function constant(value: number, words: string, tex: string): Derivation {
  return {
    ...{ operands: [], formula: words, latex: tex, substituted: figure(value) },
    ...{ summands: [], rule: () => value, rounding: 0 },
  };
}

function formula({ gradient, slope, said }: Link): string {
  const total = gradient.values.length > 1 ? "Σ " : "";
  const local = slope.formula();
  const factor = local === "1" ? "" : local.includes(" ") ? ` · (${local})` : ` · ${local}`;
  return `${total}∂loss/∂${said}${factor}`;
}

function latex({ gradient, slope, tex }: Link): string {
  const total = gradient.values.length > 1 ? "\\sum " : "";
  const local = slope.latex();
  const factor = local === "1" ? "" : ` \\cdot \\left(${local}\\right)`;
  return `${total}\\frac{\\partial L}{\\partial\\,${tex}}${factor}`;
}

function substituted({ gradient, slope }: Link): string {
  const local = slope.via.values.map((value) => value * (slope.scale ?? 1));
  return sumOfProducts([gradient.values, ...(slope.formula() === "1" ? [] : [local])]);
}

/** What rounding errors are measured by. */
function size({ gradient, slope }: Link): number {
  const sizes = slope.sizes ?? slope.via.values.map(Math.abs);
  const sum = gradient.values.reduce((all, value, i) => all + Math.abs(value) * sizes[i], 0);
  return Math.abs(slope.scale ?? 1) * sum;
}
