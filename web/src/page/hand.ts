/** What the page is used with. */

import { MediaQuery } from "svelte/reactivity";

/** Whether it is fingers: they cannot point without pressing, and have no keys. */
export const fingers = new MediaQuery("hover: none");
