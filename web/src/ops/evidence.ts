/** What one step read and wrote, for its operation to explain; as in pellucid/ops/evidence.py. */

import { at, type Tensor } from "../engine/tensor";
import { figure } from "./figures";
import { ALL, type Derivation, type Operands, type Place, type Places, summand } from "./term";

export type Labels = Readonly<Record<string, readonly string[]>>;

/** Up to so many labels it is quick to see whether one of them is there twice. */
const LONGEST_TEXT = 4096;

/** A tensor under its name, with the labels that stand along its dims. */
export class Seen {
  constructor(
    readonly name: string,
    /** The name as it reads within the step's own block. */
    readonly short: string,
    readonly tensor: Tensor,
    readonly dims: readonly string[],
    readonly labels: Labels,
  ) {}

  /** The length along a dim. */
  length(dim: number): number {
    return this.tensor.shape[dim < 0 ? dim + this.tensor.shape.length : dim];
  }

  /** The number in one cell. */
  value(...cell: number[]): number {
    return at(this.tensor, cell);
  }

  /** The cells at these places, in one role. */
  at(role: string, ...places: Places): Operands {
    const index = places.map((place, dim): Place =>
      place === ALL ? Array.from({ length: this.length(dim) }, (_, i) => i) : place,
    );
    const lists = index.filter((place) => typeof place !== "number");
    const count = lists.length ? lists[0].length : 1;
    const values = Float64Array.from({ length: count }, (_, i) =>
      this.value(...index.map((place) => (typeof place === "number" ? place : place[i]))),
    );
    return { role, name: this.name, index, values };
  }

  /** How these cells read in a formula, `q[am]`; dims of which all places are meant are left out. */
  say(...places: Places): string {
    const shown = this.shown(places);
    return shown.length ? `${this.short}[${shown.join(", ")}]` : this.short;
  }

  /** The same in LaTeX. */
  tex(...places: Places): string {
    const shown = this.shown(places).map(asText);
    const name = `\\mathrm{${escaped(this.short)}}`;
    return shown.length ? `${name}_{${shown.join(",\\,")}}` : name;
  }

  /** How a vector reads that is 1 at a place along the last dim and 0 elsewhere. */
  oneAt(place: number): string {
    const last = this.dims[this.dims.length - 1];
    return `[${last} = ${this.word(last, place)}]`;
  }

  word(dim: string, place: number): string {
    const labels = this.labels[dim];
    return labels ? labelAt(labels, place) : String(place);
  }

  /** The places by their labels, or by their dims where it would not be clear which is meant. */
  private shown(places: Places): string[] {
    const sized = this.dims
      .map((dim, i) => ({ dim, place: places[i], length: this.tensor.shape[i] }))
      .filter(({ length }) => length > 1 || this.dims.length === 1);
    const named = sized.filter(({ place }) => typeof place === "number");
    const whole = named.length === sized.length;
    const clear = this.dims.find((dim) => dim in this.labels);
    return named.map(({ dim, place }) => {
      const word = this.word(dim, place as number);
      return whole || dim === clear ? word : `${dim}=${word}`;
    });
  }
}

/** Looks up what a step read and wrote when it is asked for, and only then. */
export class Evidence {
  constructor(
    private readonly look: (name: string) => Seen,
    private readonly names: {
      readonly output: string;
      /** By the word that the operation has for each. */
      readonly extras: Readonly<Record<string, string>>;
      readonly inputs: Readonly<Record<number, string>>;
      readonly parameters: readonly string[];
    },
  ) {}

  input(i: number): Seen {
    return this.look(this.names.inputs[i]);
  }

  parameter(i: number): Seen {
    return this.look(this.names.parameters[i]);
  }

  get output(): Seen {
    return this.look(this.names.output);
  }

  extra(name: string): Seen {
    return this.look(this.names.extras[name]);
  }
}

/** How a number was made that is another's copy. */
export function copied(source: Seen, place: readonly number[], word: string): Derivation {
  return {
    operands: [source.at("x", ...place)],
    formula: `${source.say(...place)}${word}`,
    latex: source.tex(...place),
    substituted: figure(source.value(...place)),
    summands: [summand([0])],
  };
}

/** The label at a place; where a token stands more than once, with its place: `am@3`. */
export function labelAt(labels: readonly string[], place: number): string {
  const label = labels[place];
  // A vocabulary is long, and its words differ.
  const repeated =
    labels.length <= LONGEST_TEXT && labels.indexOf(label) !== labels.lastIndexOf(label);
  return repeated ? `${label}@${place}` : label;
}

/** Words in LaTeX, within a formula. */
export function asText(words: string): string {
  return `\\text{${escaped(words)}}`;
}

/** Text that LaTeX reads as it stands. */
export function escaped(text: string): string {
  const special: Record<string, string> = {
    "\\": "\\textbackslash{}",
    "^": "\\^{}",
    "~": "\\~{}",
  };
  return [...text].map((c) => special[c] ?? ("_%&#${}".includes(c) ? `\\${c}` : c)).join("");
}
