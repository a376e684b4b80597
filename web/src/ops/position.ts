/** Fixed positions: waves of falling frequency. */

import { zeros } from "../engine/tensor";
import { figure, inLatex } from "./figures";
import { made, type Operation } from "./operation";

/** How many positions the slowest wave takes for one radian. */
const LONGEST_WAVE = 10_000;

interface Settings {
  width: number;
}

/** `out[p, 2i] = sin(p / 10000^(2i/d))`, `out[p, 2i+1] = cos(…)`. */
export const sinusoidal: Operation<Settings> = {
  forward([positions], _, { width }) {
    const out = zeros([...positions.shape, width]);
    positions.data.forEach((position, t) => {
      for (let j = 0; j < width; j++) {
        const angle = position * frequency(j, width);
        out.data[t * width + j] = j % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
      }
    });
    return made(out);
  },

  explain(seen, [place, column], { width }) {
    const positions = seen.input(0);
    const [wave, turn] =
      column % 2 === 0 ? (["sin", Math.sin] as const) : (["cos", Math.cos] as const);
    const turns = frequency(column, width);
    const said = figure(turns);
    const at = positions.value(place);
    return {
      operands: [positions.at("position", place)],
      formula: `${wave}(${positions.say(place)} × ${said})`,
      latex: `\\${wave}(${positions.tex(place)} \\cdot ${inLatex(said)})`,
      substituted: `${wave}(${figure(at)} × ${said})`,
      summands: [],
      rule: (position) => turn(position[0] * turns),
      rounding: 1 + at,
    };
  },

  slope() {
    throw new Error("A position is a whole number: nothing moves with it.");
  },
};

/** Radians per position of a column; a sine and a cosine share one. */
function frequency(column: number, width: number): number {
  return LONGEST_WAVE ** (-(Math.floor(column / 2) * 2) / width);
}
