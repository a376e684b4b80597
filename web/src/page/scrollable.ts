/** What scrolls can be reached by the keyboard; what fits is no stop on the way. */

/** For `{@attach}`: a tab stop exactly as long as not everything is in sight. */
export function scrollable(node: HTMLElement): () => void {
  const check = () => {
    const fits = node.scrollWidth <= node.clientWidth && node.scrollHeight <= node.clientHeight;
    if (fits) node.removeAttribute("tabindex");
    else node.tabIndex = 0;
  };
  const sizes = new ResizeObserver(check);
  const content = new MutationObserver(check);
  sizes.observe(node);
  content.observe(node, { childList: true, subtree: true, characterData: true });
  return () => {
    sizes.disconnect();
    content.disconnect();
  };
}
