import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./paths.ts";
import { agentVersion } from "./release/agent-bundle.ts";
import { checkRelease } from "./release/check-release.ts";
import { diskStore } from "./release/disk-store.ts";
import { publish } from "./release/publish.ts";
import type { ReleaseStore } from "./release/publish.ts";
import { r2Store } from "./release/r2-store.ts";
import { readSigningKey } from "./release/signing-key.ts";
import { wranglerCommand } from "./wrangler.ts";

const USAGE = `Publishes a release of the agent that npm run build:agent -- --all has made.

  npm run publish:agent -- --to r2 <bucket>
  npm run publish:agent -- --to disk <directory>

  --from <directory>   the release (dist/release/<version of package.json>)
  --latest             makes this release "latest" even if a newer one is published, to go back`;

/** `npm run publish:agent`. Exit codes: 0 published, 1 not published, 64 bad arguments. */
async function main(): Promise<void> {
  const { store, from, latest } = await readArguments();
  const key = readSigningKey(process.env);
  const release = await checkRelease(from, key?.publicKey ?? null);
  const { version } = release.manifest;
  if (!release.signed) {
    console.error(`bellhop: release ${version} is not signed: its agents cannot update themselves to later releases.`);
  }
  const published = await publish(release, store, { forceLatest: latest, report: (line) => console.log(line) });
  console.log(published.uploaded ? `Release ${version} is published.` : `Release ${version} was published already.`);
  console.log(`latest leads to ${published.latest}.`);
}

async function readArguments(): Promise<{ store: ReleaseStore; from: string; latest: boolean }> {
  const parsed = parse();
  if (parsed === null) return usage();
  const { values, positionals } = parsed;
  const [place, ...more] = positionals;
  if (place === undefined || more.length > 0) return usage();
  const from = resolve(values.from ?? join(ROOT, "dist/release", await agentVersion()));
  const latest = values.latest ?? false;
  if (values.to === "disk") return { store: diskStore(resolve(place)), from, latest };
  if (values.to === "r2") return { store: r2Store(place, wranglerCommand()), from, latest };
  return usage();
}

function parse() {
  try {
    return parseArgs({
      options: { to: { type: "string" }, from: { type: "string" }, latest: { type: "boolean" } },
      allowPositionals: true,
    });
  } catch {
    return null;
  }
}

function usage(): never {
  console.error(USAGE);
  process.exit(64);
}

await main().catch((error: unknown) => {
  console.error(`bellhop: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
});
