/** Opens the page with the data that stands in it. */

import "katex/dist/katex.min.css";
import { mount } from "svelte";
import "./page/theme.css";
import App from "./page/App.svelte";
import { Explorer } from "./page/explorer.svelte";
import { LocalSource } from "./sources/local";
import { ServerSource } from "./sources/server";
import type { PageData } from "./wire";

const data = JSON.parse(document.getElementById("pellucid-page")!.textContent) as PageData;
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
document.documentElement.dataset["theme"] = dark ? "dark" : "light";
document.title = `${data.title} · Pellucid`;

const explorer = new Explorer(data, data.server ? new ServerSource(data) : new LocalSource(data));
mount(App, { target: document.getElementById("app")!, props: { explorer } });
void explorer.open(location.hash);
// A link within the page, or an address that somebody has put in by hand.
addEventListener("hashchange", ({ newURL }) => void explorer.open(new URL(newURL).hash));
