import { SourceMap } from "node:module";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { buildWorker } from "./bundle-worker.ts";

/**
 * A place in the bundle, as workerd writes it into a stack: `index.js:1:83920`, `index.mjs:1:83920`,
 * `worker.js:1:83920`.
 */
const PLACE = /\b(?:index|worker)\.m?js:(\d+):(\d+)/gu;

/**
 * The text of a log with every place in the Worker's bundle replaced by its place in the sources. The sources must be
 * of the version that wrote the log.
 */
export async function readStack(log: string, entry: "worker/index.ts" | "worker/one-machine.ts"): Promise<string> {
  const { map } = await buildWorker(entry, "external");
  if (map === undefined) throw new Error(`bundling ${entry} produced no source map`);
  const sources = new SourceMap(JSON.parse(await map.text()));
  return log.replace(PLACE, (place, line: string, column: string) => {
    const found = sources.findEntry(Number(line) - 1, Number(column) - 1);
    if (!("originalSource" in found)) return place;
    return `${found.originalSource}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  });
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { "one-machine": { type: "boolean" } } });
  const entry = values["one-machine"] === true ? "worker/one-machine.ts" : "worker/index.ts";
  process.stdout.write(await readStack(await text(process.stdin), entry));
}
