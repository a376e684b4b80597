/** What Python hands to the page: the graph, its weights, and what has been computed already. */

/** A number as JSON can hold it. */
export type Spelled = number | "Infinity" | "-Infinity" | "NaN";

/** What is known of a tensor before anything is run. */
export interface Fact {
  name: string;
  dims: string[];
  title: string;
  equation: string;
  /** "" where the equation is words. */
  latex: string;
}

/** One step of the decoder, in the order in which they run. */
export interface GraphNode extends Fact {
  kind: string;
  /** The operation's own settings, named as in pellucid/ops. */
  settings: Record<string, unknown>;
  inputs: string[];
  parameters: string[];
  extras: Fact[];
}

export interface GraphData {
  nodes: GraphNode[];
  aliases: Record<string, string>;
  /** The length of every dim; for position, query and key the most there can be. */
  sizes: Record<string, number>;
}

/** Where an array lies in its bytes: float32, little endian, row by row. */
export interface Slot {
  dims: string[];
  shape: number[];
  /** In numbers, not in bytes. */
  offset: number;
}

export interface ParameterSlot extends Slot {
  title: string;
}

/** A stored trace: what a model too large for the page left behind, or gradients. */
export interface StoredTrace {
  ids: number[];
  tokens: string[];
  values: Record<string, Slot>;
  targets: number[] | null;
  gradients: Record<string, Slot>;
  /** Base64. */
  bytes: string;
}

/** One explanation, as Python's `Explanation.to_dict` gives it. */
export interface ExplanationData {
  kind: "value" | "gradient";
  name: string;
  cell: Record<string, number>;
  where: string;
  title: string;
  value: Spelled;
  recomputed: Spelled;
  error: Spelled;
  tolerance: Spelled;
  formula: string;
  latex: string;
  substituted: string;
  latex_substituted: string;
  terms: TermData[];
  more_terms: number;
  contributions: ContributionData[];
  more_contributions: number;
  rest: { value: Spelled; share: Spelled };
}

export interface TermData {
  role: string;
  name: string;
  cell: Record<string, number>;
  where: string;
  value: Spelled;
}

export interface ContributionData {
  value: Spelled;
  scale: number;
  share: Spelled;
  terms: TermData[];
}

/** Places along a dim: an index, a label, several of these, or a span. */
export type PlacesData =
  | number
  | string
  | (number | string)[]
  | { start?: number | null; stop?: number | null; step?: number | null };

/** A number, −∞ as a word, or an array of numbers. */
export type ValueData = number | string | { shape: number[]; numbers: (number | string)[] };

/** A change to a run, as `pellucid.edits_to_json` writes it and `--edit FILE` reads it. */
export type EditData =
  | ({ edit: "zero" } & OnTensor)
  | ({ edit: "set_to" | "add" | "copy_from"; value: ValueData } & OnTensor)
  | ({ edit: "scale"; factor: number } & OnTensor)
  | ({ edit: "mean_over"; dim: string } & OnTensor)
  | MaskData;

interface OnTensor {
  name: string;
  cell?: Record<string, PlacesData>;
}

interface MaskData {
  edit: "mask_attention";
  query?: PlacesData;
  key?: PlacesData;
  head?: PlacesData;
  layer?: number | number[];
}

/** A `tokenizer.json`, and what the model's own settings say of it. */
export interface TokenizerData {
  json: {
    added_tokens?: { id: number; special: boolean }[];
    model: { unk_token?: string | null; vocab: Record<string, number> | unknown[] };
  };
  kind: string;
  /** What stands before a text. */
  start: number[];
  /** The ids that end a text, and those that are never chosen. */
  end: number[];
  never: number[];
}

export interface PageData {
  version: 1;
  title: string;
  config: Record<string, unknown>;
  graph: GraphData;
  /** Without bytes where the weights are too many for a page. */
  parameters: { slots: Record<string, ParameterSlot>; bytes: string | null };
  tokenizer: TokenizerData | null;
  /** A label for each token id. */
  vocabulary: string[];
  prompt: { text: string | null; ids: number[] };
  trace: StoredTrace | null;
  chapters: ChapterData[];
  film: FilmData | null;
  /** Where Python computes: a server's address, or `NOTEBOOK`; "" in a file. */
  server: string;
}

/** In place of an address: the kernel of the notebook that frames the page. */
export const NOTEBOOK = "notebook:";

/** The parameters at several steps of a training, each with a dim `step` before its own. */
export interface FilmData {
  /** What is counted: "step" or "epoch". */
  unit: string;
  steps: number[];
  /** How many steps the training kept, of which `steps` are in the page. */
  kept: number;
  /** The step that the model itself is of; null where it is of none of those that were kept. */
  own: number | null;
  slots: Record<string, { shape: number[]; offset: number }>;
  /** Base64; null where a server has the parameters. */
  bytes: string | null;
  losses: { x: number[]; y: number[] };
  floor: number | null;
}

/** A part of the tour. */
export interface ChapterData {
  title: string;
  blocks: BlockData[];
}

export type Text = string | null;

/** A run of text: plain, or in a style. `target` is a tensor, `blocks.0.attn.q`, a cell, `…[0,1]`, or
 * a text to follow, `text:groot likes`.
 */
export type SpanData = string | { text: string; kind: "bold" | "code" | "link"; target?: string };

/** The blocks of a scene, as pellucid/views/explorer/blocks.py writes them. */
export type BlockData =
  | { block: "heading"; text: string; level: number }
  | { block: "prose"; paragraphs: SpanData[][] }
  | { block: "equation"; plain: string; latex: Text }
  | { block: "tensor"; name: string; title: string; note: Text; head: number | null }
  | { block: "flow"; name: string; title: string; head: number | null }
  | NetworkData
  | { block: "map" }
  | MatrixData
  | { block: "table"; title: Text; columns: string[]; rows: (Spelled | Text)[][]; note: Text }
  | {
      block: "bars";
      title: Text;
      items: [string, number][];
      limit: number | null;
      unit: string;
      note: Text;
    }
  | CurveData
  | { block: "listing"; text: string; title: Text }
  | { block: "row"; blocks: BlockData[]; joined: boolean };

/** Numbers that are no tensor of the run. */
export interface MatrixData {
  block: "matrix";
  title: string;
  kind: string;
  note: Text;
  rows: [string, string[] | null];
  columns: [string, string[] | null];
  values: Spelled[][];
}

/** Units of several tensors at one position, joined by the parameters between them. */
export interface NetworkData {
  block: "network";
  title: string;
  position: number;
  layers: { title: string; name: string }[];
  weights: string[];
  note: Text;
}

export interface CurveData {
  block: "curve";
  title: string;
  x: string;
  y: string;
  series: { name: string; x: Spelled[]; y: Spelled[] }[];
  levels: { name: string; y: number }[];
  note: Text;
}
