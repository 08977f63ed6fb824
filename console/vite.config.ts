import { readFile } from "node:fs/promises";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import type { Plugin } from "vite";
// The build runs in Bun, not in the browser.
// oxlint-disable-next-line no-restricted-imports
import { docsPage } from "../scripts/docs-html.ts";

const ROOT = new URL("..", import.meta.url).pathname;

/** `npm run build:console`: the page as files, whose names carry a hash of their content. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), docs()],
  build: {
    outDir: `${import.meta.dirname}/../dist/console`,
    emptyOutDir: true,
    // The page allows no data: scripts or styles (Content-Security-Policy).
    assetsInlineLimit: 0,
    target: "es2023",
    sourcemap: false,
    // bench/bundle reads which files a page needs.
    manifest: true,
    chunkSizeWarningLimit: 1_000,
    // What half of the pages use is one file: fewer requests, and it compresses better than thirty small files.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "base", minShareCount: 20 }] } } },
  },
});

/** Pages of docs/ as modules: `?head` is the path and title of a page, the module itself its HTML. */
function docs(): Plugin {
  return {
    name: "docs",
    enforce: "pre",
    load: {
      filter: { id: /\.md(?:\?head)?$/u },
      async handler(id) {
        const [file = ""] = id.split("?");
        const { html, ...head } = docsPage(file.slice(ROOT.length), await readFile(file, "utf8"));
        return { code: `export default ${JSON.stringify(id.endsWith("?head") ? head : html)}`, moduleType: "js" };
      },
    },
  };
}
