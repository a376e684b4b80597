/** Running text as a page sets it; Python writes it for terminals too. */

/** With a true minus before numbers, as in the matrices: a hyphen is neither as wide nor as high. */
export function typeset(text: string): string {
  return text.replace(/(?<![\p{L}\p{N}_\-.])-(?=\d)/gu, "−");
}
