import { parseArgs } from "node:util";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { buildUpload } from "./deploy/build.ts";
import { deploy } from "./deploy/deploy.ts";
import { refuseUnknownOptions } from "./known-options.ts";
import { ROOT } from "./paths.ts";
import { wranglerCommand } from "./wrangler.ts";

const USAGE = `Deploys Bellhop at Cloudflare: checks Node, settings and sign-in, builds, migrates the database, deploys.

  npm run deploy -- --env staging
  npm run deploy -- --env production
  npm run deploy -- --env staging --dry-run

  --dry-run   needs no account: checks Node and settings, builds, shows sizes, changes nothing

DATABASE_AUTH_TOKEN in the environment opens the database that wrangler.toml names. docs/deploy/cloudflare.md has the rest.`;

/** `npm run deploy`. Exit codes: 0 deployed, 1 not deployed, 64 bad arguments. */
const given = parse();
if (given.env === undefined) {
  console.error(`bellhop: --env is missing. Add --env staging or --env production.\n\n${USAGE}`);
  process.exit(64);
}
try {
  await deploy(
    { environment: given.env, isDryRun: given["dry-run"] ?? false },
    {
      wranglerToml: await readFile(join(ROOT, "wrangler.toml"), "utf8"),
      databaseToken: process.env["DATABASE_AUTH_TOKEN"] ?? "",
      wrangler: wranglerCommand,
      build: buildUpload,
      report: (line) => console.log(line),
    },
  );
} catch (error) {
  console.error(`bellhop: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}

function parse() {
  refuseUnknownOptions("npm run deploy", process.argv.slice(2), ["--env", "--dry-run"]);
  try {
    return parseArgs({ options: { env: { type: "string" }, "dry-run": { type: "boolean" } } }).values;
  } catch {
    console.error(USAGE);
    process.exit(64);
  }
}
