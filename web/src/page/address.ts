/** What the page looks at, kept in its address: a link or a reload returns to the same number. */

import { readSetting, type Setting, writeSetting } from "../doing/setting";

export interface View extends Setting {
  /** The text, or null for ids that are no text. */
  readonly text: string | null;
  /** Whether the stage shows the whole model, and no tensor by itself. */
  readonly whole: boolean;
  /** The tensor on the stage. */
  readonly name: string;
  /** The chosen cell of `of`; null where none is. */
  readonly cell: readonly number[] | null;
  /** The tensor that the cell belongs to. */
  readonly of: string;
  readonly head: number;
  readonly chapter: number;
  /** Which of the chapter's stops. */
  readonly stop: number;
  /** What is open below the stage; "" where nothing is. */
  readonly doing: string;
}

/** What stands in an address where the stage shows the whole model. */
const WHOLE = "all";
const NUMBERS = /^\d+(,\d+)*$/;

/** A view as what stands behind the `#`. */
export function written(view: View): string {
  const parts = new URLSearchParams();
  if (view.text !== null) parts.set("text", view.text);
  parts.set("show", view.whole ? WHOLE : view.name);
  if (view.cell) parts.set("cell", `${view.of}@${view.cell.join(",")}`);
  if (view.head) parts.set("head", String(view.head));
  if (view.chapter) parts.set("part", String(view.chapter));
  if (view.stop) parts.set("at", String(view.stop));
  if (view.doing) parts.set("do", view.doing);
  writeSetting(parts, view);
  return parts.toString();
}

/** Where somebody is: what is on the stage, which number is chosen, how far the tour is read. */
export function placeOf({ whole, name, of, cell, chapter, stop }: View): string {
  return [whole ? "" : name, cell ? of : "", cell, chapter, stop].join(" ");
}

/** What an address says; what it does not say, or says wrongly, is left as it was. */
export function read(address: string, before: View): View {
  const parts = new URLSearchParams(address.replace(/^#/, ""));
  const [of, index] = (parts.get("cell") ?? "").split("@");
  const show = parts.get("show");
  const cell = index !== undefined && (index === "" || NUMBERS.test(index));
  return {
    text: parts.get("text") ?? before.text,
    whole: show === null ? before.whole : show === WHOLE,
    name: show === null || show === WHOLE ? before.name : show,
    cell: cell ? (index ? index.split(",").map(Number) : []) : null,
    of: cell ? of : before.of,
    head: whole(parts.get("head")),
    chapter: whole(parts.get("part")),
    stop: whole(parts.get("at")),
    doing: parts.get("do") ?? "",
    ...readSetting(parts),
  };
}

function whole(text: string | null): number {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
