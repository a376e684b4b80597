/** Rotary positions: pairs of numbers turned by an angle that grows with the position. */

import { unchanged, upTo, workedOut } from "./slope";
import { type Tensor, zeros } from "../engine/tensor";
import { copied, type Evidence } from "./evidence";
import { bracketed, figure, inLatex, sumOfProducts } from "./figures";
import { type Frequencies, frequenciesAt } from "./frequencies";
import { inTurn, type Moved, type Operation, type Parts } from "./operation";
import { INSIDE } from "./inside";
import { type Derivation, summand } from "./term";

interface Settings {
  frequencies: Frequencies;
  layout: "halves" | "pairs";
  magnitude: number;
}

const parts: Parts<Settings> = {
  inside: INSIDE.rotate,

  make(part, given, _, settings) {
    if (part === "") return turned(given[0], given[1], given[2], settings);
    const [positions, lengths] = given;
    const turns = turnsOf(settings, lengths ? lengths.data[0] : 0);
    const out = zeros([positions.shape[0], turns.length]);
    for (let i = 0; i < out.data.length; i++) {
      const angle = positions.data[Math.floor(i / turns.length)] * turns[i % turns.length];
      out.data[i] = Math[part as "cos" | "sin"](angle) * settings.magnitude;
    }
    return out;
  },

  moved(_, read, seen, cell, settings) {
    if (read === "input 0") return pairMoved(seen, cell, settings);
    const x = seen.input(0);
    const [place, pair] = cell;
    const [heads, , width] = x.tensor.shape;
    const all = upTo(heads * width);
    const index = [all.map((i) => Math.floor(i / width)), place, all.map((i) => i % width)];
    const values = all.map((i) => {
      const [head, d] = [Math.floor(i / width), i % width];
      if (d >= 2 * settings.frequencies.each.length) return 0;
      const own = pairOf(d, settings);
      if (own.pair !== pair) return 0;
      if (read === "cos") return x.value(head, place, d);
      return own.sign * x.value(head, place, own.partner);
    });
    return { index, values: Float64Array.from(values) };
  },
};

/** The numbers of a row that move with one of them: itself and its partner, and no others. */
function pairMoved(seen: Evidence, [head, place, d]: readonly number[], settings: Settings): Moved {
  const width = seen.input(0).length(-1);
  const values = new Float64Array(width);
  if (d >= 2 * settings.frequencies.each.length) values[d] = 1;
  else {
    const { pair, partner, sign } = pairOf(d, settings);
    values[d] = seen.extra("cos").value(place, pair);
    values[partner] = -sign * seen.extra("sin").value(place, pair);
  }
  return { index: [head, place, upTo(width)], values };
}

/** `(a, b)` becomes `(a · cos - b · sin, b · cos + a · sin)`, for each pair of a vector. */
export const rotate: Operation<Settings> = {
  forward: inTurn(parts),
  parts,

  explain(seen, cell, settings, extra) {
    if (extra === "cos" || extra === "sin") return explainWave(seen, cell, settings, extra);
    const [head, place, d] = cell;
    const x = seen.input(0);
    if (d >= 2 * settings.frequencies.each.length) return copied(x, cell, "");
    const { pair, partner, sign } = pairOf(d, settings);
    const [cos, sin] = [seen.extra("cos"), seen.extra("sin")];
    const other = [head, place, partner];
    const operands = [
      x.at("x", ...cell),
      cos.at("cos", place, pair),
      x.at("partner", ...other),
      sin.at("sin", place, pair),
    ];
    const numbers = operands.map((each) => each.values);
    const [mark, tex] = sign > 0 ? ["+", "+"] : ["−", "-"];
    return {
      operands,
      formula:
        `${x.say(...cell)} · ${cos.say(place, pair)} ${mark} ` +
        `${x.say(...other)} · ${sin.say(place, pair)}`,
      latex:
        `${x.tex(...cell)} \\cdot ${cos.tex(place, pair)} ${tex} ` +
        `${x.tex(...other)} \\cdot ${sin.tex(place, pair)}`,
      substituted:
        `${sumOfProducts(numbers.slice(0, 2))} ${mark} ` + sumOfProducts(numbers.slice(2)),
      summands: [summand([0, 1]), summand([2, 3], sign)],
    };
  },

  slope(seen, _, cell, settings) {
    const [head, place, d] = cell;
    if (d >= 2 * settings.frequencies.each.length) return unchanged(...cell);
    const { pair, partner, sign } = pairOf(d, settings);
    const [cos, sin] = [seen.extra("cos"), seen.extra("sin")];
    const at = [place, pair];
    return {
      index: [head, place, [d, partner]],
      via: workedOut(Float64Array.of(cos.value(...at), -sign * sin.value(...at))),
      formula: () =>
        `${cos.say(...at)}, and ${sign > 0 ? "−" : ""}${sin.say(...at)} for its partner`,
      latex: () => `${cos.tex(...at)},\\; ${sign > 0 ? "-" : ""}${sin.tex(...at)}`,
    };
  },
};

/** The cosine or sine of an angle. */
function explainWave(
  seen: Evidence,
  [place, pair]: readonly number[],
  settings: Settings,
  wave: "cos" | "sin",
): Derivation {
  const positions = seen.input(1);
  const { longer, growth } = settings.frequencies;
  const length = longer.length || growth ? seen.input(2).tensor.data[0] : 0;
  const frequency = turnsOf(settings, length)[pair];
  const { magnitude } = settings;
  const said = figure(frequency);
  const times = magnitude === 1 ? "" : `${figure(magnitude)} · `;
  const at = positions.value(place);
  return {
    operands: [positions.at("position", place)],
    formula: `${times}${wave}(${positions.say(place)} × ${said})`,
    latex: `${inLatex(times)}\\${wave}(${positions.tex(place)} \\cdot ${inLatex(said)})`,
    substituted: `${times}${wave}(${bracketed(at)} × ${said})`,
    summands: [],
    rule: (position) => magnitude * Math[wave](position[0] * frequency),
    rounding: magnitude * (1 + at),
  };
}

function turnsOf({ frequencies }: Settings, length: number): number[] {
  return frequenciesAt(frequencies, length);
}

/** Every vector with its pairs turned; numbers past the turned width stay. */
function turned(x: Tensor, cos: Tensor, sin: Tensor, settings: Settings): Tensor {
  const [heads, positions, width] = x.shape;
  const pairs = settings.frequencies.each.length;
  const out: Tensor = { data: x.data.slice(), shape: x.shape };
  for (let row = 0; row < heads * positions; row++) {
    const place = row % positions;
    for (let d = 0; d < 2 * pairs; d++) {
      const { pair, partner, sign } = pairOf(d, settings);
      const own = x.data[row * width + d] * cos.data[place * pairs + pair];
      const others = x.data[row * width + partner] * sin.data[place * pairs + pair];
      out.data[row * width + d] = own + sign * others;
    }
  }
  return out;
}

/** Which pair a number belongs to, its partner, and the sign of the partner's part. */
function pairOf(d: number, { frequencies, layout }: Settings) {
  const pairs = frequencies.each.length;
  if (layout === "pairs") {
    const first = d % 2 === 0;
    return { pair: Math.floor(d / 2), partner: first ? d + 1 : d - 1, sign: first ? -1 : 1 };
  }
  const first = d < pairs;
  return { pair: d % pairs, partner: first ? d + pairs : d - pairs, sign: first ? -1 : 1 };
}
