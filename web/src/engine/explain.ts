/** Follows a number through the graph: to what it was made of. */

import { asText, Evidence, type Labels, Seen } from "../ops/evidence";
import { figure, inLatex, largestFirst } from "../ops/figures";
import type { PartSettings } from "../ops/part";
import { operationOf } from "../ops/registry";
import {
  cellOf,
  contributions,
  type Derivation,
  recompute,
  roundingSize,
  type Summand,
  summand,
} from "../ops/term";
import type { ContributionData, ExplanationData, GraphNode, Spelled, TermData } from "../wire";
import { nameCell } from "./cell";
import { atTheLoss, chainRule, type Link, linkOf } from "./chain";
import { Gradients } from "./gradients";
import { type Graph, INPUTS } from "./graph";
import { lastOf, scopeOf, shorten } from "./names";
import { at, type Tensor } from "./tensor";

/** How many roundings of `unit · size` a recomputed number may be away from the stored one. */
const SLACK = 32;
const UNIT = 2 ** -24;
/** The least number of 32 bits that has all its digits. */
const SMALLEST = 2 ** -126;

/** A parameter as the explainer needs it. */
export interface Parameter {
  readonly tensor: Tensor;
  readonly dims: readonly string[];
  readonly title: string;
}

/** Explains the cells of one run. */
export class Explainer {
  private readonly known = new Map<string, Seen>();
  private worked: Gradients | undefined;

  constructor(
    private readonly graph: Graph,
    private readonly parameters: ReadonlyMap<string, Parameter>,
    private readonly values: ReadonlyMap<string, Tensor>,
    private readonly labels: Labels,
    /** Gradients that have been worked out elsewhere. */
    private readonly given: ReadonlyMap<string, Tensor> = new Map(),
  ) {}

  /**
   * How a cell of a tensor, parameter or input was made.
   *
   * @param limit so many of the largest contributions with their terms, and the terms that stand
   *     alone in their role; the rest as one.
   */
  explain(name: string, index: readonly number[], limit: number): ExplanationData {
    const own = this.own(name);
    const seen = this.seen(own, "");
    const value = seen.value(...index);
    const title = this.title(own);
    const derivation = this.derive(own, index);
    return { kind: "value", title, ...this.told(seen, index, value, derivation, limit) };
  }

  /** Where the gradient of a cell came from: the chain rule, over all steps that read it. */
  explainGradient(name: string, index: readonly number[], limit: number): ExplanationData {
    const own = this.own(name);
    const value = at(this.gradients.of(own), index);
    const title = `Gradient of the loss by ${own}`;
    const derivation = own === "loss" ? atTheLoss() : chainRule(this.links(own, index));
    return {
      ...{ kind: "gradient", title },
      ...this.told(this.seen(own, ""), index, value, derivation, limit),
    };
  }

  /** Of the loss, which the run must have. */
  get gradients(): Gradients {
    this.worked ??= new Gradients(
      this.graph,
      (node) => this.evidence(node),
      (name) => this.seen(name, "").tensor.shape,
      this.given,
    );
    return this.worked;
  }

  private links(name: string, index: readonly number[]): Link[] {
    return this.gradients.readings(name, index).map(({ node, slope }) => {
      const { name: output, short, dims, labels } = this.seen(node.name, scopeOf(name));
      return linkOf(new Seen(output, short, this.gradients.of(output), dims, labels), slope);
    });
  }

  /** What is said of a value, and of a gradient in the same way. */
  private told(
    seen: Seen,
    index: readonly number[],
    value: number,
    derivation: Derivation,
    limit: number,
  ) {
    const recomputed = recompute(derivation);
    const size = roundingSize(derivation) + SMALLEST;
    return {
      name: seen.name,
      ...this.place(seen, index),
      value: spell(value),
      recomputed: spell(recomputed),
      error: spell(Object.is(value, recomputed) ? 0 : Math.abs(value - recomputed)),
      tolerance: spell(Number.isNaN(size) ? 0 : SLACK * UNIT * size),
      formula: derivation.formula,
      latex: derivation.latex,
      substituted: derivation.substituted,
      latex_substituted: inLatex(derivation.substituted),
      ...this.parts(derivation, limit),
    };
  }

  /** The one name of a tensor, parameter or input. */
  private own(name: string): string {
    return this.parameters.has(name) || name in INPUTS ? name : this.graph.resolve(name);
  }

  /** The tensor, parameter or input of a name, as it reads within a scope. */
  private seen(name: string, scope: string): Seen {
    const parameter = this.parameters.get(name);
    const own = this.own(name);
    const key = `${own} ${scope}`;
    const known = this.known.get(key);
    if (known) return known;
    const tensor = parameter?.tensor ?? this.values.get(own);
    if (!tensor) throw new Error(`This needs ${name}, which is too large for a page in a file.`);
    const dims = parameter?.dims ?? INPUTS[own]?.dims ?? this.graph.fact(own).dims;
    const labels = Object.fromEntries(
      Object.entries(this.labels).filter(([dim]) => dims.includes(dim) && this.labelled(own, dim)),
    );
    const seen = new Seen(own, shorten(own, scope), tensor, dims, labels);
    this.known.set(key, seen);
    return seen;
  }

  /** Tokens stand along the positions of a text, not of a table. */
  private labelled(name: string, dim: string): boolean {
    return dim === "vocab" || !this.parameters.has(name);
  }

  private derive(name: string, index: readonly number[]): Derivation {
    if (this.parameters.has(name) || name in INPUTS) {
      const word = INPUTS[name]?.title ?? "a parameter";
      const value = this.seen(name, "").value(...index);
      return leaf(value, word[0].toLowerCase() + word.slice(1));
    }
    const node = this.graph.owner(name);
    const extra = name === node.name ? null : name.slice(name.lastIndexOf(".") + 1);
    return operationOf(node.kind).explain(this.evidence(node), index, node.settings, extra);
  }

  private evidence(node: GraphNode): Evidence {
    const scope = scopeOf(node.name);
    return new Evidence((what) => this.seen(what, scope), namesIn(node));
  }

  private title(name: string): string {
    return this.parameters.get(name)?.title ?? INPUTS[name]?.title ?? this.graph.fact(name).title;
  }

  private place(seen: Seen, index: readonly number[]) {
    return {
      cell: Object.fromEntries(seen.dims.map((dim, i) => [dim, index[i]])),
      where: nameCell(seen.dims, seen.tensor.shape, seen.labels, index),
    };
  }

  /** Terms and contributions, those beyond the limit as one. */
  private parts(derivation: Derivation, limit: number) {
    const rows = contributions(derivation);
    const summands = derivation.summands.length ? derivation.summands : rows.map(() => FIRST);
    const all = rows.flatMap((row, s) =>
      Array.from(row, (value, i) => ({ value, summand: summands[s], i })),
    );
    const order = largestFirst(all.map((each) => each.value)).map((i) => all[i]);
    const whole = order.reduce((sum, each) => sum + Math.abs(each.value), 0);
    const share = (size: number) => spell(whole ? size / whole : 0);
    const [shown, rest] = [order.slice(0, limit), order.slice(limit)];
    const terms = this.weightiest(derivation, shown);
    const total = derivation.operands.reduce((sum, group) => sum + group.values.length, 0);
    return {
      terms: terms.map(([group, i]) => this.term(derivation, group, i)),
      more_terms: total - terms.length,
      contributions: shown.map((each): ContributionData => ({
        value: spell(each.value),
        scale: each.summand.scale,
        share: share(Math.abs(each.value)),
        terms: factors(derivation, each).map(([group, i]) => this.term(derivation, group, i)),
      })),
      more_contributions: rest.length,
      rest: {
        value: spell(rest.reduce((sum, each) => sum + each.value, 0)),
        share: share(rest.reduce((sum, each) => sum + Math.abs(each.value), 0)),
      },
    };
  }

  /** The terms of the largest contributions and those alone in their role, in the formula's order. */
  private weightiest(derivation: Derivation, shown: readonly Piece[]): [number, number][] {
    const chosen = new Map<string, [number, number]>();
    const among = shown.flatMap((each) => factors(derivation, each));
    const alone = derivation.operands.flatMap((group, g): [number, number][] =>
      group.values.length === 1 ? [[g, 0]] : [],
    );
    for (const each of [...among, ...alone]) chosen.set(each.join(), each);
    return [...chosen.values()].sort(([a, i], [b, j]) => a - b || i - j);
  }

  private term(derivation: Derivation, group: number, i: number): TermData {
    const operands = derivation.operands[group];
    const value = spell(operands.values[i]);
    // A local derivative that is no tensor's cell.
    if (!operands.name) return { role: operands.role, name: "", cell: {}, where: "", value };
    const seen = this.seen(operands.name, "");
    return {
      role: operands.role,
      name: operands.name,
      ...this.place(seen, cellOf(operands, i)),
      value,
    };
  }
}

/** What a step reads and writes, by the words of its operation; a part by those of the whole. */
function namesIn(node: GraphNode) {
  const { name: output, inputs, parameters, extras } = node;
  if (node.kind !== "part") {
    const named = extras.map(({ name }) => [lastOf(name), name]);
    return { output, inputs, parameters, extras: Object.fromEntries(named) };
  }
  const { reads, makes } = node.settings as unknown as PartSettings;
  const read = reads.map((word, i) => [word.replace(/^input /, ""), inputs[i]]);
  const own = Object.fromEntries(read);
  return { output, inputs: own, parameters, extras: { ...own, [makes]: output } };
}

/** A weight belongs to the first operands alone. */
const FIRST = summand([0]);

interface Piece {
  readonly value: number;
  readonly summand: Summand;
  readonly i: number;
}

/** The group and the place in it of each term of a product; an only one serves all. */
function factors(derivation: Derivation, piece: Piece): [number, number][] {
  return piece.summand.factors.map((group) => [
    group,
    piece.i % derivation.operands[group].values.length,
  ]);
}

/** A number that nothing made: where a run starts. */
function leaf(value: number, words: string): Derivation {
  return {
    operands: [],
    formula: words,
    latex: asText(words),
    substituted: figure(value),
    summands: [],
    rule: () => value,
    rounding: 0,
  };
}

/** A number as JSON can hold it: infinities and NaN as words. */
export function spell(value: number): Spelled {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return value;
  return value > 0 ? "Infinity" : "-Infinity";
}
