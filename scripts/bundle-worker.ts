import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./paths.ts";

/** The file that `wrangler deploy` uploads: `main` of wrangler.toml. */
const DEPLOYED = join(ROOT, "dist/worker/index.js");

/**
 * The Worker as one ES module for workerd: the same bytes for `wrangler deploy`, one machine and the tests. Throws with
 * the bundler's messages.
 */
export async function bundleWorker(entry = "worker/index.ts"): Promise<string> {
  const { bundle } = await buildWorker(entry, "none");
  return bundle.text();
}

/** For tools that analyse a bundle: `external` gives a source map, and a comment at the bundle's end that names it. */
export async function buildWorker(entry: string, sourcemap: "none" | "external") {
  const { outputs } = await Bun.build({
    entrypoints: [join(ROOT, entry)],
    target: "browser",
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    // Names are shortened, too: without that the bundle is 16 % larger. `npm run read-stack` restores the names of a
    // logged stack.
    minify: true,
    sourcemap,
    throw: true,
  });
  const bundle = outputs.find(({ kind }) => kind === "entry-point");
  if (bundle === undefined) throw new Error(`bundling ${entry} produced no file`);
  return { bundle, map: outputs.find(({ kind }) => kind === "sourcemap") };
}

if (import.meta.main) {
  await mkdir(join(DEPLOYED, ".."), { recursive: true });
  // Written under another name, then renamed: concurrent builds leave no half bundle.
  const aside = `${DEPLOYED}.${process.pid}`;
  await writeFile(aside, await bundleWorker());
  await rename(aside, DEPLOYED);
  console.log(DEPLOYED);
}
