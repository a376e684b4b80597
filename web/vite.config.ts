import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";
import { defineConfig } from "vitest/config";

/** The faces of KaTeX that decoders' formulas use; all twenty would take 700 KB. */
const FACES = /KaTeX_(Main-(Regular|Bold|Italic)|Math-Italic|AMS-Regular|Size[1-4]-Regular)/;

/** KaTeX's style sheet with these faces alone, each in the one format that every browser reads. */
function fewFaces(): Plugin {
  return {
    name: "few-faces",
    enforce: "pre",
    transform(code, id) {
      if (!/katex(\.min)?\.css/.test(id)) return null;
      return code
        .replace(/@font-face\s*{[^}]*}/g, (face) => (FACES.test(face) ? face : ""))
        .replace(/,\s*url\([^)]*\.(woff|ttf)\)\s*format\("[a-z]+"\)/g, "");
    },
  };
}

export default defineConfig({
  plugins: [fewFaces(), svelte(), viteSingleFile()],
  build: {
    target: "es2023",
    outDir: "../pellucid/views/explorer/static",
    emptyOutDir: true,
  },
  worker: { format: "iife" },
  test: { include: ["tests/**/*.test.ts"] },
});
