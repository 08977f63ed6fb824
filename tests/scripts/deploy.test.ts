import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deploy } from "../../scripts/deploy/deploy.ts";
import type { DeployDeps } from "../../scripts/deploy/deploy.ts";
import { ROOT } from "../../scripts/paths.ts";
import { Refused } from "../../scripts/service/refused.ts";
import { startTestLibsql } from "../support/libsql.ts";
import type { TestLibsql } from "../support/libsql.ts";
import { runNpm } from "../support/npm.ts";

const TOKEN = "a-token-of-the-database";

let scratch: string;
let libsql: TestLibsql;
let wranglerToml: string;
let calls: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "bellhop-deploy-"));
  calls = join(scratch, "calls");
  libsql = await startTestLibsql({ authToken: TOKEN });
  const toml = await readFile(join(ROOT, "wrangler.toml"), "utf8");
  wranglerToml = toml.replace(/libsql:\/\/set-this-to-your-staging\S+(?=")/u, libsql.server.url);
});
beforeEach(() => writeFile(calls, ""));
afterAll(async () => {
  await libsql.dispose();
  await rm(scratch, { recursive: true, force: true });
});

describe("a deployment", () => {
  test("signs in, builds, migrates the database, deploys, and prints each step and the missing secrets", async () => {
    const { lines, deps } = await recording();
    await deploy({ environment: "staging", isDryRun: false }, deps);
    expect(lines).toEqual([
      "Signed in at Cloudflare: Example Inc.",
      "Built.",
      "The database is at the newest schema.",
      "The Worker bellhop-staging is deployed, version v-1: https://bellhop-staging.example.workers.dev.",
      "It does not serve before this: npx wrangler secret put BELLHOP_SECRET --env=staging",
      "GET /readyz there answers 200 when it is ready, and otherwise says what to do.",
    ]);
    expect(await callsMade()).toEqual(["whoami --json", "deploy --env=staging", "secret list --env=staging"]);
    const { rows } = await libsql.client({ authToken: TOKEN }).execute("SELECT count(*) AS n FROM workflows");
    expect(rows[0]?.["n"]).toBe(0);
  });

  test("of production goes to the top level of wrangler.toml", async () => {
    const { lines, deps } = await recording();
    const production = wranglerToml.replace(/libsql:\/\/set-this-to-your-turso\S+(?=")/u, libsql.server.url);
    await deploy({ environment: "production", isDryRun: false }, { ...deps, wranglerToml: production });
    expect(await callsMade()).toContain("deploy --env=");
    expect(lines.join("\n")).toContain("The Worker bellhop is deployed");
  });

  test("reports all missing settings together, and calls no program", async () => {
    const { lines, deps } = await recording();
    const missing = { ...deps, databaseToken: "", wrangler: () => refuse("wrangler needs a newer Node.") };
    await expect(deploy({ environment: "production", isDryRun: false }, missing)).rejects.toThrow(
      new Refused(`nothing was deployed. First:
  - DATABASE_URL in wrangler.toml is not the address of your database: libsql://….turso.io
  - DATABASE_AUTH_TOKEN is not in the environment: the migration opens the database with it
  - wrangler needs a newer Node`),
    );
    expect({ lines, calls: await callsMade() }).toEqual({ lines: [], calls: [] });
  });

  test("without a sign-in builds nothing and says how to sign in", async () => {
    const { lines, deps } = await recording("whoami");
    await expect(deploy({ environment: "staging", isDryRun: false }, deps)).rejects.toThrow(
      "wrangler is not signed in at Cloudflare. Run npx wrangler login, or set CLOUDFLARE_API_TOKEN.",
    );
    expect(lines).toEqual([]);
  });

  test("whose database cannot be migrated does not change the Worker", async () => {
    const { deps } = await recording();
    const wrong = { ...deps, databaseToken: "another" };
    await expect(deploy({ environment: "staging", isDryRun: false }, wrong)).rejects.toThrow(
      /^the database could not be migrated, and the Worker was not deployed: /u,
    );
    expect(await callsMade()).toEqual(["whoami --json"]);
  });

  test("reports a failed upload", async () => {
    const { deps } = await recording("deploy");
    await expect(deploy({ environment: "staging", isDryRun: false }, deps)).rejects.toThrow(
      "wrangler did not deploy the Worker: see above.",
    );
  });
});

describe("npm run deploy", () => {
  test("with --dry-run needs no account, builds, shows sizes, lists missing settings and changes nothing", async () => {
    const env = { DATABASE_AUTH_TOKEN: "", HOME: scratch, CLOUDFLARE_API_TOKEN: "" };
    const { stdout, code } = await runNpm(["run", "-s", "deploy", "--", "--env", "staging", "--dry-run"], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^The Worker is built: \d+ KiB, \d+ KiB compressed\.$/mu);
    expect(stdout).toMatch(/^The console is built: \d+ files, \d+ KiB\.$/mu);
    expect(stdout).toContain(
      "Nothing was changed. A deployment migrates the database, then deploys the Worker bellhop-staging.\n",
    );
    expect(stdout).toContain("\n  - DATABASE_AUTH_TOKEN is not in the environment");
    const major = Number(/^v(\d+)/u.exec(Bun.spawnSync(["node", "--version"]).stdout.toString())?.[1]);
    expect(stdout.includes("wrangler needs Node 22 or newer on PATH")).toBe(major < 22);
  });

  test.each([
    ["an environment that wrangler.toml does not have", ["--env", "stagin"], 1, 'no environment "stagin"'],
    ["no environment", [], 64, "npm run deploy -- --env staging"],
    ["an argument that it does not know", ["--env", "staging", "--force"], 64, "has no option --force"],
  ])("refuses %s", async (_what, args, expected, words) => {
    const { stdout, stderr, code } = await runNpm(["run", "-s", "deploy", "--", ...args]);
    expect({ stdout, code }).toEqual({ stdout: "", code: expected });
    expect(stderr).toContain(words);
  });
});

/** Replaces wrangler with a program that fails at the command `failing`. */
async function recording(failing = "") {
  const program = join(scratch, `wrangler-${crypto.randomUUID()}.ts`);
  await writeFile(
    program,
    `import { appendFileSync, writeFileSync } from "node:fs";
const args = process.argv.slice(2);
appendFileSync(${JSON.stringify(calls)}, args.join(" ") + "\\n");
if (process.env.DATABASE_AUTH_TOKEN !== undefined) throw new Error("wrangler has the token of the database");
if (args[0] === "whoami") console.log(JSON.stringify(${JSON.stringify(failing)} === "whoami" ? { loggedIn: false } : { loggedIn: true, accounts: [{ name: "Example Inc" }] }));
if (args[0] === ${JSON.stringify(failing)}) process.exit(1);
if (args[0] === "deploy")
  writeFileSync(
    process.env.WRANGLER_OUTPUT_FILE_PATH,
    '{"type":"wrangler-session"}\\n{"type":"deploy","version_id":"v-1","targets":["https://bellhop-staging.example.workers.dev"]}\\n',
  );
if (args[0] === "secret") console.log(JSON.stringify([{ name: "DATABASE_AUTH_TOKEN", type: "secret_text" }]));
`,
  );
  const lines: string[] = [];
  const deps: DeployDeps = {
    wranglerToml,
    databaseToken: TOKEN,
    wrangler: () => [process.execPath, program],
    build: () => Promise.resolve(["Built."]),
    report: (line) => lines.push(line),
  };
  return { lines, deps };
}

async function callsMade(): Promise<string[]> {
  return (await readFile(calls, "utf8")).split("\n").filter((line) => line !== "");
}

function refuse(message: string): never {
  throw new Refused(message);
}
