/** A part of a step, where an edit has come between its intermediates; as in pellucid/ops/part.py. */

import { asText, type Evidence, type Seen } from "./evidence";
import { made, type Operation, type Parts, type Read } from "./operation";
import { workedOut } from "./slope";
import { reach } from "./term";

export interface PartSettings {
  /** The kind of the whole operation, and its settings. */
  readonly of: string;
  readonly settings: unknown;
  /** The extra that is made, or "" for the output. */
  readonly makes: string;
  readonly reads: readonly Read[];
}

/** What an operation makes of one extra, or of its output, out of the extras before it. */
export function partOf(operationOf: (kind: string) => Operation): Operation<PartSettings> {
  return {
    forward(inputs, parameters, { of, settings, makes }) {
      return made(partsOf(operationOf(of)).make(makes, inputs, parameters, settings));
    },

    explain(seen, cell, { of, settings, makes }) {
      return operationOf(of).explain(seen, cell, settings, makes || null);
    },

    slope(seen, operand, cell, { of, settings, makes, reads }) {
      const whole = operationOf(of);
      if (operand.startsWith("parameter")) return whole.slope(seen, operand, cell, settings);
      const read = reads[Number(operand.slice("input ".length))];
      const { index, values } = partsOf(whole).moved(makes, read, seen, cell, settings);
      const [out, source] = [seen.output.short, seenAs(seen, read).short];
      const largest = Math.max(...reads.map((each) => reach(seenAs(seen, each).tensor.data)));
      return {
        index,
        via: workedOut(values),
        formula: () => `∂${out}/∂${source}`,
        latex: () => `\\frac{\\partial ${asName(out)}}{\\partial ${asName(source)}}`,
        sizes: values.map((value) => Math.abs(value) * (1 + largest)),
      };
    },
  };
}

/** What a part reads, as the whole operation knows it. */
export function seenAs(seen: Evidence, read: Read): Seen {
  const [, number] = /^input (\d+)$/.exec(read) ?? [];
  return number === undefined ? seen.extra(read) : seen.input(Number(number));
}

function partsOf({ parts }: Operation): Parts {
  if (!parts) throw new Error("This operation does not come apart.");
  return parts;
}

/** A tensor's name in LaTeX. */
function asName(name: string): string {
  return asText(name).replace("\\text", "\\mathrm");
}
