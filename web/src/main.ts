/** Opens the page with the data that stands in it. */

import "katex/dist/katex.min.css";
import { mount } from "svelte";
import "./page/theme.css";
import App from "./page/App.svelte";
import { Explorer } from "./page/explorer.svelte";
import { openTheme } from "./page/theme.svelte";
import { LocalSource } from "./sources/local";
import { overHttp } from "./sources/over_http";
import { overPort } from "./sources/over_port";
import { RemoteSource } from "./sources/remote";
import type { Source } from "./sources/source";
import { NOTEBOOK, type PageData } from "./wire";

const data = JSON.parse(document.getElementById("pellucid-page")!.textContent) as PageData;
openTheme();
document.title = `${data.title} · Pellucid`;

const explorer = new Explorer(data, sourceOf(data));
mount(App, { target: document.getElementById("app")!, props: { explorer } });
void explorer.open(location.hash);
// A link within the page, or an address that somebody has put in by hand.
window.addEventListener("hashchange", ({ newURL }) => void explorer.open(new URL(newURL).hash));

/** Python where it can be asked, else the weights in the page, else what they left behind. */
function sourceOf(page: PageData): Source {
  if (page.server === NOTEBOOK) return new RemoteSource(page, overPort(window));
  if (page.server) return new RemoteSource(page, overHttp(page.server));
  return new LocalSource(page);
}
