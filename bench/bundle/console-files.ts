import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { buildConsole } from "../../scripts/build-console.ts";
import { sizesOf } from "../../scripts/bundle-parts.ts";

/** Scripts and styles that a page loads before it renders. */
export interface PageSize {
  files: number;
  rawKb: number;
  gzipKb: number;
}

/** Sizes of the console's files: those of the first page, and those that the workflow designer loads in addition. */
export async function consoleSizes(): Promise<{ firstPage: PageSize; designer: PageSize }> {
  const directory = await buildConsole();
  const page = await readFile(join(directory, "index.html"), "utf8");
  const named = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/gu)].map(([, file]) => file ?? "");
  const firstPage = await withImports(directory, named);
  const assets = await readdir(join(directory, "assets"));
  const own = assets.filter((file) => /^designer-[^.]+\.(?:js|css)$/u.test(file)).map((file) => `assets/${file}`);
  if (own.length === 0) throw new Error("the console's build has no chunk named designer: bench/bundle looks for it");
  const designer = (await withImports(directory, own)).difference(firstPage);
  return { firstPage: await total(directory, firstPage), designer: await total(directory, designer) };
}

/** These files with all their static imports, recursively. */
async function withImports(directory: string, files: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  const waiting = [...files];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    found.add(file);
    if (!file.endsWith(".js")) continue;
    const text = await readFile(join(directory, file), "utf8");
    for (const [, name] of text.matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+)["'`]/gu)) waiting.push(`assets/${name}`);
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
