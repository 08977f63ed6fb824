import { join } from "node:path";
import { ROOT } from "./paths.ts";

/** The Worker as one ES module, for workerd. Throws with the bundler's own messages. */
export async function bundleWorker(entry = "worker/index.ts"): Promise<string> {
  const result = await Bun.build({
    entrypoints: [join(ROOT, entry)],
    target: "browser",
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*"],
    minify: { whitespace: true, syntax: true, identifiers: false },
    throw: true,
  });
  const [bundle] = result.outputs;
  if (bundle === undefined) throw new Error(`bundling ${entry} gave nothing`);
  return bundle.text();
}
