/** Opens the page with the data that stands in it. */

import "katex/dist/katex.min.css";
import { mount } from "svelte";
import "./page/theme.css";
import App from "./page/App.svelte";
import { asStored } from "./engine/as_stored";
import { Explorer } from "./page/explorer.svelte";
import { openTheme } from "./page/theme.svelte";
import { LocalSource } from "./sources/local";
import { overHttp } from "./sources/over_http";
import { overPort } from "./sources/over_port";
import { Refused, RemoteSource } from "./sources/remote";
import { Cancelled, type Source } from "./sources/source";
import { NOTEBOOK, type PageData } from "./wire";

const given = document.getElementById("pellucid-page")!.textContent;
const data = asStored(JSON.parse(given) as PageData);
openTheme();
document.title = `${data.title} · Pellucid`;

const explorer = new Explorer(data, sourceOf(data));
mount(App, { target: document.getElementById("app")!, props: { explorer } });
const open = (hash: string) => void explorer.open(hash.length > 1 ? hash : data.opening);
open(location.hash);
// A link within the page, or an address that somebody has put in by hand.
window.addEventListener("hashchange", ({ newURL }) => open(new URL(newURL).hash));
// Views ask for numbers by themselves; what Python refuses them is said as any refusal is.
window.addEventListener("unhandledrejection", (event) => {
  if (!(event.reason instanceof Refused || event.reason instanceof Cancelled)) return;
  event.preventDefault();
  if (event.reason instanceof Refused) explorer.hindered(event.reason.message);
});

/** Python where it can be asked, else the weights in the page, else what they left behind. */
function sourceOf(page: PageData): Source {
  if (page.server === NOTEBOOK) return new RemoteSource(page, overPort(window));
  if (page.server) return new RemoteSource(page, overHttp(page.server));
  return new LocalSource(page);
}
