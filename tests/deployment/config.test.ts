import { describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { SERVICE_SETTINGS } from "../../schema/settings/service.ts";
import { bundleWorker } from "../../scripts/bundle-worker.ts";
import { ROOT } from "../../scripts/paths.ts";
import { workerdConfig } from "../../scripts/service/workerd-config.ts";
import { testInFull } from "../support/in-full.ts";
import { debianPeer } from "../support/debian-peer.ts";

const UNITS = join(ROOT, "scripts/service/units");
/** The exposure of a unit by `systemd-analyze security`, from 0 to 10: below 2 is "OK". */
const EXPOSURE_MAX = 2;

const durableObjects = z.object({ bindings: z.array(z.object({ name: z.string(), class_name: z.string() })) });
const environmentSchema = z.object({
  durable_objects: durableObjects,
  vars: z.record(z.string(), z.string()),
  r2_buckets: z.array(z.object({ binding: z.string(), bucket_name: z.string() })).optional(),
});
const wranglerSchema = environmentSchema.extend({
  env: z.object({ staging: environmentSchema.extend({ routes: z.array(z.unknown()), workers_dev: z.boolean() }) }),
  assets: z.looseObject({ binding: z.string() }),
  observability: z.object({ logs: z.object({ invocation_logs: z.boolean() }) }),
});

test("every setting reaches workerd from the environment", async () => {
  const config = workerdConfig(await read("wrangler.toml"));
  for (const name in SERVICE_SETTINGS) expect(config).toContain(`(name = "${name}", fromEnvironment = "${name}")`);
});

describe("workerd's configuration", () => {
  test("has every object of wrangler.toml, and the clock", async () => {
    const toml = await read("wrangler.toml");
    const config = workerdConfig(toml);
    for (const { name, class_name: className } of (await wrangler()).durable_objects.bindings) {
      expect(config).toContain(`(className = "${className}", uniqueKey = "bellhop-${className}", enableSql = true)`);
      expect(config).toContain(`(name = "${name}", durableObjectNamespace = "${className}")`);
    }
    const oneMachine = await read("worker/one-machine.ts");
    for (const { class_name: className } of (await wrangler()).durable_objects.bindings) {
      expect(oneMachine).toContain(`export { ${className} } from "./actors/`);
    }
    expect(config).toContain('(className = "Ticker", uniqueKey = "bellhop-Ticker", enableSql = true)');
  });
});

test("the Worker answers before the platform's assets, so that every page has its policy", async () => {
  const { assets } = await wrangler();
  expect(assets).toMatchObject({ binding: "CONSOLE", run_worker_first: true, directory: "dist/console" });
  expect(workerdConfig(await read("wrangler.toml"))).toContain('(name = "CONSOLE", service = "console")');
});

test("the platform logs no request addresses, because they contain keys of integrations", async () => {
  expect((await wrangler()).observability.logs.invocation_logs).toBe(false);
});

describe("the staging environment of wrangler.toml", () => {
  test("has what production has, and shares no database and no bucket with it", async () => {
    const { env, ...production } = await wrangler();
    const { staging } = env;
    expect(staging.durable_objects).toEqual(production.durable_objects);
    expect(Object.keys(staging.vars).sort()).toEqual(Object.keys(production.vars).sort());
    expect(staging.vars["DATABASE_URL"]).not.toBe(production.vars["DATABASE_URL"] ?? "");
    expect((staging.r2_buckets ?? []).map(({ binding }) => binding)).toEqual(
      (production.r2_buckets ?? []).map(({ binding }) => binding),
    );
    for (const { bucket_name: bucket } of staging.r2_buckets ?? []) {
      expect((production.r2_buckets ?? []).map(({ bucket_name: name }) => name)).not.toContain(bucket);
    }
  });

  test("has its own address: wrangler would take a missing one from production", async () => {
    const { staging } = (await wrangler()).env;
    expect([staging.routes, staging.workers_dev]).toEqual([[], true]);
  });

  testInFull("is accepted by wrangler, which uploads the Worker that the tests run, byte for byte", async () => {
    const outdir = await mkdtemp(join(tmpdir(), "bellhop-wrangler-"));
    try {
      const { exitCode, output } = await run([
        join(ROOT, "node_modules/.bin/bun"),
        "--bun",
        join(ROOT, "node_modules/.bin/wrangler"),
        "deploy",
        "--dry-run",
        "--env",
        "staging",
        "--outdir",
        outdir,
      ]);
      expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
      expect(output).toContain("--dry-run: exiting now.");
      expect((await readFile(join(outdir, "index.js"), "utf8")) === (await bundleWorker())).toBe(true);
    } finally {
      await rm(outdir, { recursive: true, force: true });
    }
  });
});

const analyzeMissing = debianPeer("/usr/bin/systemd-analyze", "systemd");
describe.skipIf(analyzeMissing !== null)(`the systemd units ${analyzeMissing ?? ""}`, () => {
  test("are valid for systemd, apart from programs that are not installed here", async () => {
    for (const unit of await readdir(UNITS)) {
      const { output } = await run(["systemd-analyze", "verify", "--man=no", join(UNITS, unit)]);
      const said = output.split("\n").filter((line) => line !== "" && !line.includes("/opt/bellhop/current/bin/"));
      // Findings about the machine's other units do not count.
      expect(said.filter((line) => line.includes("bellhop"))).toEqual([]);
    }
  });

  test("restrict the services", async () => {
    for (const unit of (await readdir(UNITS)).filter((name) => name.endsWith(".service"))) {
      const { output } = await run(["systemd-analyze", "security", "--offline=true", "--no-pager", join(UNITS, unit)]);
      const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/u.exec(output)?.[1]);
      expect({ unit, safe: exposure < EXPOSURE_MAX }).toEqual({ unit, safe: true });
    }
  });
});

async function wrangler() {
  return wranglerSchema.parse(Bun.TOML.parse(await read("wrangler.toml")));
}

function read(path: string): Promise<string> {
  return readFile(join(ROOT, path), "utf8");
}

async function run(command: string[]): Promise<{ exitCode: number; output: string }> {
  const child = Bun.spawn(command, {
    cwd: ROOT,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1" },
  });
  const [out, err, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, output: `${out}${err}`.trim() };
}
