/** The linear map `x · w + b`: every projection of the decoder, and its output head. */

import { unchanged, upTo } from "./slope";
import { type Tensor, width, zeros } from "../engine/tensor";
import { sumOfProducts } from "./figures";
import { made, type Operation } from "./operation";
import { ALL, type Places, summand } from "./term";

interface Settings {
  bias: string | null;
  /** Whether the weight is `[out, in]`: a head tied to the token embedding. */
  transposed: boolean;
}

/** `out[…, j] = Σᵢ x[…, i] · w[i, j] + b[j]`. */
export const linear: Operation<Settings> = {
  forward([x], [w, b], { transposed }) {
    const columns = transposed ? w.shape[0] : w.shape[1];
    const out = zeros([...x.shape.slice(0, -1), columns]);
    const rows = x.data.length / width(x);
    for (let row = 0; row < rows; row++) {
      const sums = transposed ? dots(x, row, w) : combined(x, row, w);
      for (let j = 0; j < columns; j++) {
        out.data[row * columns + j] = b ? sums[j] + b.data[j] : sums[j];
      }
    }
    return made(out);
  },

  explain(seen, [row, column], { bias, transposed }) {
    const [x, w] = [seen.input(0), seen.parameter(0)];
    const places: Places = transposed ? [column, ALL] : [ALL, column];
    const operands = [x.at("x", row, ALL), w.at("w", ...places)];
    const b = bias === null ? null : seen.parameter(1);
    const shift = b ? [b.at("b", column)] : [];
    return {
      operands: [...operands, ...shift],
      formula: `${x.say(row, ALL)} · ${w.say(...places)}${b ? ` + ${b.say(column)}` : ""}`,
      latex: `${x.tex(row, ALL)} \\cdot ${w.tex(...places)}${b ? ` + ${b.tex(column)}` : ""}`,
      substituted: sumOfProducts(
        operands.map((each) => each.values),
        shift.map((each) => each.values[0]),
      ),
      summands: [summand([0, 1]), ...(b ? [summand([2])] : [])],
    };
  },

  slope(seen, operand, cell, { transposed }) {
    const [x, w] = [seen.input(0), seen.parameter(0)];
    if (operand === "input 0") {
      const [row, i] = cell;
      const places: Places = transposed ? [ALL, i] : [i, ALL];
      const via = w.at("local derivative", ...places);
      return {
        ...{ index: [row, upTo(via.values.length)], via },
        ...{ formula: () => w.say(...places), latex: () => w.tex(...places) },
      };
    }
    const every = upTo(x.length(0));
    if (operand === "parameter 1") return unchanged(every, cell[0]);
    const [i, column] = transposed ? [cell[1], cell[0]] : cell;
    return {
      ...{ index: [every, column], via: x.at("local derivative", ALL, i) },
      ...{ formula: () => x.say(ALL, i), latex: () => x.tex(ALL, i) },
    };
  },
};

/** A row times a weight `[out, in]`: a sum for each of its rows. */
function dots(x: Tensor, row: number, w: Tensor): Float64Array {
  const length = width(x);
  return Float64Array.from({ length: w.shape[0] }, (_, j) => {
    let sum = 0;
    for (let i = 0; i < length; i++) sum += x.data[row * length + i] * w.data[j * length + i];
    return sum;
  });
}

/** A row times a weight `[in, out]`: its rows, each so many times, added up. */
function combined(x: Tensor, row: number, w: Tensor): Float64Array {
  const [length, columns] = w.shape;
  const sums = new Float64Array(columns);
  for (let i = 0; i < length; i++) {
    const factor = x.data[row * length + i];
    const start = i * columns;
    for (let j = 0; j < columns; j++) sums[j] += factor * w.data[start + j];
  }
  return sums;
}
