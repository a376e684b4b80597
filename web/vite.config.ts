import { svelte } from "@sveltejs/vite-plugin-svelte";
import { viteSingleFile } from "vite-plugin-singlefile";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [svelte(), viteSingleFile()],
  build: { target: "es2023" },
  test: { include: ["tests/**/*.test.ts"] },
});
