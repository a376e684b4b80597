/** The part of a large matrix that is in sight, and the cell that the keyboard is at. */

import type { Sight } from "./part";

/** Where a key leads from a cell. */
type Move = (row: number, column: number) => [number, number];

export class Window {
  top = $state(0);
  left = $state(0);
  active = $state.raw({ row: 0, column: 0 });

  constructor(
    /** How many rows and columns a matrix has. */
    private readonly size: () => { height: number; width: number },
    /** Most rows and columns at once. */
    private readonly most: () => { rows: number; columns: number },
  ) {}

  get rows(): number {
    return Math.max(Math.min(this.most().rows, this.size().height - this.first("top")), 0);
  }

  get columns(): number {
    return Math.max(Math.min(this.most().columns, this.size().width - this.first("left")), 0);
  }

  /** The first row, or column, in sight; a matrix that became smaller is shown to its end. */
  first(side: "top" | "left"): number {
    const { height, width } = this.size();
    return side === "top" ? Math.min(this.top, height - 1) : Math.min(this.left, width - 1);
  }

  /** What is in sight of a matrix of another size. */
  over({ height, width }: { height: number; width: number }): Sight {
    const { rows, columns } = this.most();
    const [top, left] = [Math.min(this.top, height - 1), Math.min(this.left, width - 1)];
    return {
      top,
      left,
      rows: Math.min(rows, height - top),
      columns: Math.min(columns, width - left),
    };
  }

  /** Bring a cell into sight. */
  reveal(row: number, column: number): void {
    const { rows, columns } = this.most();
    if (row < this.top || row >= this.top + rows) this.top = Math.floor(row / rows) * rows;
    if (column < this.left || column >= this.left + columns) {
      this.left = Math.floor(column / columns) * columns;
    }
    this.active = { row, column };
  }

  /** Turn a page of rows or columns. */
  turn(side: "top" | "left", by: number): void {
    const { rows, columns } = this.most();
    const step = by * (side === "top" ? rows : columns);
    this[side] = Math.max(this.first(side) + step, 0);
    const { height, width } = this.size();
    const row = Math.min(this.top, height - 1);
    this.active = { row, column: Math.min(this.left, width - 1) };
  }

  /** Go where a key leads; false for a key that leads nowhere. */
  move(key: string, toTheEnd: boolean): boolean {
    const move = this.moves(toTheEnd)[key];
    if (!move) return false;
    const { height, width } = this.size();
    const [row, column] = move(this.active.row, this.active.column);
    this.reveal(clamp(row, height - 1), clamp(column, width - 1));
    return true;
  }

  /** The keys of the grid pattern; with Ctrl, Home and End lead to the first and the last cell. */
  private moves(toTheEnd: boolean): Readonly<Record<string, Move>> {
    const { rows } = this.most();
    return {
      ArrowUp: (row, column) => [row - 1, column],
      ArrowDown: (row, column) => [row + 1, column],
      ArrowLeft: (row, column) => [row, column - 1],
      ArrowRight: (row, column) => [row, column + 1],
      Home: (row) => [toTheEnd ? 0 : row, 0],
      End: (row) => [toTheEnd ? Infinity : row, Infinity],
      PageUp: (row, column) => [row - rows, column],
      PageDown: (row, column) => [row + rows, column],
    };
  }
}

function clamp(place: number, most: number): number {
  return Math.min(Math.max(place, 0), most);
}
