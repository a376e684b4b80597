/** How a tensor lies down: which dims run down and across, and which stand still. */

const SEQUENCES = ["position", "query", "key", "head", "kv_head"];
const HEADS = ["head", "kv_head"];

/** A matrix to look at: two dims at most, the others at one place. */
export interface Layout {
  readonly rows: string;
  readonly columns: string;
  readonly height: number;
  readonly width: number;
  /** The places of the dims that stand still. */
  readonly at: Readonly<Record<string, number>>;
}

/**
 * Lay a tensor out as pellucid/views/matrix.py does.
 *
 * @param head the head to look at, counted as heads of queries.
 * @param heads how many of these there are: several may share one head of keys.
 */
export function layoutOf(
  dims: readonly string[],
  shape: readonly number[],
  head: number,
  heads: number,
): Layout {
  const at: Record<string, number> = {};
  const stay = dims.map((dim, i) => ({ dim, size: shape[i] }));
  const drop = (dim: string, place: number) => {
    at[dim] = place;
    stay.splice(
      stay.findIndex((each) => each.dim === dim),
      1,
    );
  };
  for (const { dim, size } of [...stay]) {
    if (stay.length > 2 && HEADS.includes(dim)) {
      drop(dim, Math.min(Math.floor(head / (heads / size)), size - 1));
    }
  }
  while (stay.length > 2) drop(stay[0].dim, 0);
  const [rows, columns] = sides(stay.map(({ dim }) => dim));
  const length = (dim: string) => (dim ? shape[dims.indexOf(dim)] : 1);
  return { rows, columns, height: length(rows), width: length(columns), at };
}

/** The index of a cell, in the order of the tensor's dims. */
export function indexAt(
  dims: readonly string[],
  { rows, columns, at }: Layout,
  row: number,
  column: number,
): number[] {
  return dims.map((dim) => (dim === rows ? row : dim === columns ? column : (at[dim] ?? 0)));
}

/** Where a cell of the tensor stands in a layout, or null where it does not show it. */
export function placeOf(
  dims: readonly string[],
  { rows, columns, at }: Layout,
  index: readonly number[],
): { row: number; column: number } | null {
  const place = Object.fromEntries(dims.map((dim, i) => [dim, index[i]]));
  if (Object.entries(at).some(([dim, i]) => place[dim] !== i)) return null;
  return { row: place[rows] ?? 0, column: place[columns] ?? 0 };
}

/** Which dim runs down and which across; "" for a side that is not there. */
function sides(dims: readonly string[]): [string, string] {
  if (dims.length === 2) return [dims[0], dims[1]];
  if (!dims.length) return ["", ""];
  return SEQUENCES.includes(dims[0]) ? [dims[0], ""] : ["", dims[0]];
}
