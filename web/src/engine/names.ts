/** Tensor names: what is left of one within a block; as in pellucid/decoder/names.py. */

/** The prefix that the tensors of one part of a block share: `blocks.0.attn.`, or nothing. */
export function scopeOf(edited: string): string {
  const name = withoutEdit(edited);
  const end = name.lastIndexOf(".");
  return end < 0 ? "" : name.slice(0, end + 1);
}

/** A name as it reads from within a scope, without the part that both share. */
export function shorten(name: string, scope: string): string {
  let shared = scope;
  while (shared && !name.startsWith(shared)) shared = scopeOf(shared.slice(0, -1));
  // "0.attn.q" would say nothing: the block's number stays with its word.
  return shared === "blocks." || !shared ? name : name.slice(shared.length);
}

/** The tensor that an edit made another: `pattern` for `pattern.unedited`, what it was before. */
export function withoutEdit(name: string): string {
  return name.replace(/\.(unedited|edited_\d+)$/, "");
}

/** The last word of a name: `mean` of `blocks.0.norm1.mean`, whatever edits it has had. */
export function lastOf(edited: string): string {
  const name = withoutEdit(edited);
  return name.slice(name.lastIndexOf(".") + 1);
}
