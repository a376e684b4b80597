import { mount } from "svelte";
import App from "./page/App.svelte";

mount(App, { target: document.getElementById("app")! });
