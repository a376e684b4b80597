/** Matrices and explanations for elsewhere: as CSV, as an image, as text, as LaTeX. */

import type { ExplanationData } from "../wire";
import { asNumber, long } from "./number";
import { labelOf, numberAt, type Shown } from "./shown";

/** A whole matrix as comma-separated values (RFC 4180), every digit kept. */
export function csv(shown: Shown): string {
  const { height, width } = shown.layout;
  const row = (cells: readonly string[]) => cells.map(quoted).join(",");
  const columns = Array.from({ length: width }, (_, j) => labelOf(shown, "columns", j));
  const lines = Array.from({ length: height }, (_, i) => {
    const numbers = columns.map((_, j) => spelled(numberAt(shown, i, j)!));
    return row([labelOf(shown, "rows", i), ...numbers]);
  });
  return [row([shown.name, ...columns]), ...lines].join("\r\n") + "\r\n";
}

/** An explanation as plain text: the number, its formula, and every part of the sum that is known. */
export function explanationText(said: ExplanationData): string {
  const number = (value: ExplanationData["value"]) => long(asNumber(value));
  const at = (name: string, where: string) => (where ? `${name}[${where}]` : name);
  const parts = said.contributions.map(({ value, terms }) => {
    const operands = terms.map((term) => `${at(term.name, term.where)} ${number(term.value)}`);
    return `  ${number(value)}  ${operands.join(" × ")}`;
  });
  const first = `${at(said.name, said.where)} = ${number(said.value)}`;
  const how = [said.title, `= ${said.formula}`, `= ${said.substituted}`];
  return [first, ...how, ...parts].join("\n") + "\n";
}

/** Put a text on the clipboard; a page in a frame may have to do it the older way. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** Put an image on the clipboard, or into a file where the clipboard takes none. */
export async function copyImage(canvas: HTMLCanvasElement, name: string): Promise<void> {
  const image = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!image) throw new Error("This browser makes no image of so large a matrix.");
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": image })]);
  } catch {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(image);
    link.download = `${name}.png`;
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function spelled(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}
