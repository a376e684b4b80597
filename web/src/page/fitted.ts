/** What is a little too wide for its place is set smaller; what is much too wide scrolls. */

/** In em: no smaller than can be read. */
const LEAST = 0.62;

/** For `{@attach}`: the largest size, up to that of the text around it, at which all is in sight. */
export function fitted(node: HTMLElement): () => void {
  const fit = () => {
    node.style.fontSize = "";
    const share = node.clientWidth / Math.max(node.scrollWidth, 1);
    if (share < 1) node.style.fontSize = `${Math.max(share * 0.99, LEAST)}em`;
  };
  const sizes = new ResizeObserver(fit);
  const content = new MutationObserver(fit);
  sizes.observe(node);
  content.observe(node, { childList: true });
  return () => {
    sizes.disconnect();
    content.disconnect();
  };
}
