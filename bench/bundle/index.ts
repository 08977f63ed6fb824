import { buildWorker, bundleWorker } from "../../scripts/bundle-worker.ts";
import { agentSizes } from "./agent-download.ts";
import type { AgentSizes } from "./agent-download.ts";
import { byPart, sizesOf } from "../../scripts/bundle-parts.ts";
import type { Part } from "../../scripts/bundle-parts.ts";
import { consoleSizes } from "./console-files.ts";
import type { PageSize } from "./console-files.ts";

/**
 * The sizes of everything that is deployed or downloaded: the Worker and its parts, the console, the agent's
 * executable.
 */
export interface BundleBench {
  /** The upload of `wrangler deploy`; gzip as wrangler counts it. In KiB. */
  worker: { rawKb: number; gzipKb: number; parts: Part[] };
  console: { firstPage: PageSize; designer: PageSize };
  executables: AgentSizes;
}

/** Smaller parts are summed up in one line. */
const SHOWN_KB = 10;

export async function benchBundle(): Promise<BundleBench> {
  const { bundle, map } = await buildWorker("worker/index.ts", "external");
  if (map === undefined) throw new Error("bundling the Worker produced no source map");
  return {
    worker: { ...sizesOf(await bundleWorker()), parts: byPart(await bundle.text(), await map.text()) },
    console: await consoleSizes(),
    executables: await agentSizes(),
  };
}

export function describeBundle({ worker, console: pages, executables }: BundleBench): string {
  const line = (name: string, { rawKb, gzipKb }: Omit<Part, "name">) =>
    `  ${name.padEnd(24)} ${rawKb.toFixed(0).padStart(6)} KiB ${gzipKb.toFixed(0).padStart(6)} KiB gzip`;
  const shown = worker.parts.filter(({ rawKb }) => rawKb >= SHOWN_KB);
  const rest = worker.parts.slice(shown.length);
  const sum = (field: "rawKb" | "gzipKb") => rest.reduce((so, part) => so + part[field], 0);
  return [
    line("the Worker", worker),
    ...shown.map((part) => line(`  ${part.name}`, part)),
    line(`  ${rest.length} smaller parts`, { rawKb: sum("rawKb"), gzipKb: sum("gzipKb") }),
    line("the console's first page", pages.firstPage),
    line("and its designer", pages.designer),
    describeExecutables(executables),
  ].join("\n");
}

function describeExecutables({ agent, bare, scriptMb }: AgentSizes): string {
  const line = (name: string, { sizeMb, downloadMb }: AgentSizes["agent"]) =>
    `  ${name.padEnd(24)} ${sizeMb.toFixed(1)} MB, downloaded ${downloadMb.zstd.toFixed(1)} MB (zstd) or ${downloadMb.gzip.toFixed(1)} MB (gzip)`;
  return `${line("the agent", agent)}; ${scriptMb.toFixed(1)} MB of it are JavaScript\n${line("an empty executable", bare)}`;
}
