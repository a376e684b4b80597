/** What a tensor is called where its block is known: `scores`, `attn.out`, `norm1.gamma`. */
export function called(name: string): string {
  const inBlock = name.replace(/^blocks\.\d+\./, "");
  // Both attention and the feed-forward network have an `out`, and each says whose it is.
  return /^(attn|mlp)\.out$/.test(inBlock) ? inBlock : inBlock.replace(/^(attn|mlp)\./, "");
}
