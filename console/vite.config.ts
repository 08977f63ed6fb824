import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** `npm run build:console`: the page as files, whose names carry a hash of their content. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  build: {
    outDir: `${import.meta.dirname}/../dist/console`,
    emptyOutDir: true,
    // The page allows no data: scripts or styles (Content-Security-Policy).
    assetsInlineLimit: 0,
    target: "es2023",
    sourcemap: false,
    chunkSizeWarningLimit: 1_000,
    // What half of the pages use is one file: fewer requests, and it compresses better than thirty small files.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "base", minShareCount: 20 }] } } },
  },
});
