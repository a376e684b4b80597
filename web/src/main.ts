/** Opens the page with the data that stands in it. */

import "katex/dist/katex.min.css";
import { mount } from "svelte";
import "./page/theme.css";
import App from "./page/App.svelte";
import { Explorer } from "./page/explorer.svelte";
import { openTheme } from "./page/theme";
import { LocalSource } from "./sources/local";
import { ServerSource } from "./sources/server";
import type { PageData } from "./wire";

const data = JSON.parse(document.getElementById("pellucid-page")!.textContent) as PageData;
openTheme();
document.title = `${data.title} · Pellucid`;

const explorer = new Explorer(data, data.server ? new ServerSource(data) : new LocalSource(data));
mount(App, { target: document.getElementById("app")!, props: { explorer } });
void explorer.open(location.hash);
// A link within the page, or an address that somebody has put in by hand.
window.addEventListener("hashchange", ({ newURL }) => void explorer.open(new URL(newURL).hash));
