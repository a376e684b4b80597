import { createHash } from "node:crypto";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import type { CompileOptions } from "svelte/compiler";
import type { Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";
import { defineConfig } from "vitest/config";

/** The faces of KaTeX that decoders' formulas use; all twenty would take 700 KB. */
const FACES = /KaTeX_(Main-Regular|Math-Italic|Size[1-4]-Regular)/;

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

/** What ties a component's styles to it: short, for it stands in the page many hundred times. */
const cssHash: CompileOptions["cssHash"] = ({ hash, css }) => `s${hash(css).slice(0, 4)}`;

/**
 * A policy by which the page runs its own scripts and no others, and reaches nothing. Where a server
 * computes, pellucid/views/explorer/document.py lets it be asked. KaTeX sets styles inline.
 */
function policy(): Plugin {
  return {
    name: "policy",
    enforce: "post",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const page = bundle["index.html"];
        if (page?.type !== "asset") throw new Error("There is no page to put a policy on.");
        page.source = withPolicy(String(page.source));
      },
    },
  };
}

function withPolicy(page: string): string {
  const rules = [
    "default-src 'none'",
    `script-src ${hashes(page).join(" ")}`,
    "worker-src blob:",
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "font-src data:",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  const meta = `<meta http-equiv="Content-Security-Policy" content="${rules.join("; ")}" />`;
  return page.replace("<head>", () => `<head>\n    ${meta}`);
}

/** Each script that the browser is to run, by its hash. */
function hashes(page: string): string[] {
  const scripts = [...page.matchAll(/<script type="module"[^>]*>([^]*?)<\/script>/g)];
  return scripts.map(([, script]) => {
    return `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
  });
}

export default defineConfig({
  plugins: [fewFaces(), svelte({ compilerOptions: { cssHash } }), viteSingleFile(), policy()],
  build: {
    target: "es2023",
    outDir: "../pellucid/views/explorer/static",
    emptyOutDir: true,
  },
  worker: { format: "iife" },
  test: { include: ["tests/**/*.test.ts"] },
});
