import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { buildConsole } from "../../scripts/build-console.ts";
import { sizesOf } from "../../scripts/bundle-parts.ts";

/** Scripts and styles that a page loads before it renders. */
export interface PageSize {
  files: number;
  rawKb: number;
  gzipKb: number;
}

const manifestSchema = z.record(
  z.string(),
  z.object({ file: z.string(), imports: z.array(z.string()).default([]), css: z.array(z.string()).default([]) }),
);
type Manifest = z.infer<typeof manifestSchema>;

/** Sizes of the console's files: those of the first page, and those that the workflow designer loads in addition. */
export async function consoleSizes(): Promise<{ firstPage: PageSize; designer: PageSize }> {
  const directory = await buildConsole();
  const manifest = manifestSchema.parse(JSON.parse(await readFile(join(directory, ".vite/manifest.json"), "utf8")));
  const firstPage = filesOf(manifest, "index.html");
  const designer = filesOf(manifest, "views/designer/edit.tsx").difference(firstPage);
  return { firstPage: await total(directory, firstPage), designer: await total(directory, designer) };
}

/** The files of a module with those of all its static imports. */
function filesOf(manifest: Manifest, module: string): Set<string> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const waiting = [module];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`the console's build has no ${name}: bench/bundle looks for it`);
    for (const file of [chunk.file, ...chunk.css]) found.add(file);
    waiting.push(...chunk.imports);
  }
  return found;
}

async function total(directory: string, files: ReadonlySet<string>): Promise<PageSize> {
  const sizes = await Promise.all(
    [...files].map(async (file) => sizesOf(await Bun.file(join(directory, file)).bytes())),
  );
  const sum = (field: "rawKb" | "gzipKb") => sizes.reduce((so, size) => so + size[field], 0);
  return { files: files.size, rawKb: sum("rawKb"), gzipKb: sum("gzipKb") };
}
