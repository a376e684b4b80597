/** What scrolls can be reached by the keyboard and is seen to go on; what fits is no stop on the way. */

/**
 * For `{@attach}`: a tab stop exactly as long as not everything is in sight. Sides on which something
 * is out of sight are named in `data-more`, and fade (theme.css).
 */
export function scrollable(node: HTMLElement): () => void {
  const check = () => {
    const fits = node.scrollWidth <= node.clientWidth && node.scrollHeight <= node.clientHeight;
    if (fits) node.removeAttribute("tabindex");
    else node.tabIndex = 0;
    node.dataset["more"] = hidden(node).join(" ");
  };
  const sizes = new ResizeObserver(check);
  const content = new MutationObserver(check);
  sizes.observe(node);
  content.observe(node, { childList: true, subtree: true, characterData: true });
  node.addEventListener("scroll", check, { passive: true });
  return () => {
    sizes.disconnect();
    content.disconnect();
    node.removeEventListener("scroll", check);
  };
}

/** The sides of a box where something is scrolled out of sight; a broken pixel is nothing. */
function hidden({ scrollLeft, scrollWidth, clientWidth }: HTMLElement): string[] {
  // From right to left, the beginning is 0 and what follows is below zero.
  const before = Math.abs(scrollLeft);
  const after = scrollWidth - clientWidth - before;
  return [...(before > 1 ? ["before"] : []), ...(after > 1 ? ["after"] : [])];
}
