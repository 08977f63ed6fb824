import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { z } from "zod";
import { version } from "../../package.json" with { type: "json" };
import { checkLiveness, checkReadiness } from "../../schema/contract/api/health.ts";
import { problemSchema } from "../../schema/contract/problem.ts";
import { NEWEST_MIGRATION } from "../../schema/newest-migration.ts";
import { bundleWorker } from "../../scripts/bundle-worker.ts";
import { migrateDatabase } from "../../scripts/migrate-database.ts";
import { startWorker } from "../../scripts/worker-runtime.ts";
import type { WorkerRuntime } from "../../scripts/worker-runtime.ts";
import { eventually } from "../support/eventually.ts";
import { startLibsqlProcess } from "../support/libsql-process.ts";
import type { LibsqlProcess } from "../support/libsql-process.ts";

/** The database is a process of its own here, so that it can be stopped in the middle. */
let directory: string;
let file: string;
let libsql: LibsqlProcess;
let worker: WorkerRuntime;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "bellhop-health-"));
  file = join(directory, "bellhop.db");
  libsql = await startLibsqlProcess(file);
  await migrateDatabase({ url: libsql.url });
  worker = await startWorker({
    script: await bundleWorker(),
    persistTo: join(directory, "objects"),
    bindings: { DATABASE_URL: libsql.url, BELLHOP_SECRET: "health-test-secret-0123456789-0123456789" },
  });
});
afterAll(async () => {
  await worker.stop();
  await libsql.end("SIGKILL");
  await rm(directory, { recursive: true, force: true });
});

type Readiness = z.infer<typeof checkReadiness.answer.schema>;

async function ready(): Promise<{ status: number; body: Readiness }> {
  const response = await fetch(`${worker.url}/readyz`);
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  return { status: response.status, body: checkReadiness.answer.schema.parse(await response.json()) };
}

async function alive(): Promise<void> {
  const response = await fetch(`${worker.url}/healthz`);
  const body = checkLiveness.answer.schema.parse(await response.json());
  expect([response.status, body]).toEqual([200, { status: "ok", version }]);
}

/** An answer is kept for a second. */
function answersReady() {
  return eventually("/readyz to answer 200", async () => (await ready()).status === 200, 50_000);
}

function answersNotReady() {
  return eventually(
    "/readyz to answer 503",
    async () => {
      const answer = await ready();
      return answer.status === 503 && answer.body;
    },
    50_000,
  );
}

const WITHOUT_DATABASE: Readiness["checks"] = [
  { name: "settings", ready: true },
  { name: "database", ready: false },
  { name: "objects", ready: true },
];

test("a deployment that can serve says so, part by part, with its version, to everybody", async () => {
  await answersReady();
  const { body } = await ready();
  expect(body).toEqual({
    status: "ready",
    version,
    problems: [],
    checks: [
      { name: "settings", ready: true },
      { name: "database", ready: true },
      { name: "objects", ready: true },
    ],
  });
  await alive();
});

describe("the database's schema", () => {
  /** Straight in the file: the server reads it at every query. */
  const change = (sql: string) => {
    const database = new Database(file);
    database.run("pragma busy_timeout = 30000");
    database.run(sql);
    database.close();
  };
  test("that lacks the last migration makes it not ready, with the command that mends it, and a newer one does not", async () => {
    await answersReady();
    change(`update __drizzle_migrations set created_at = -1 where created_at = ${NEWEST_MIGRATION.when}`);
    const { problems, checks } = await answersNotReady();
    expect(checks).toEqual(WITHOUT_DATABASE);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(NEWEST_MIGRATION.tag);
    expect(problems[0]).toContain("npm run migrate");
    await alive();
    // As it is after a later version's migration, and a Worker that was rolled back.
    change("insert into __drizzle_migrations (hash, created_at) values ('of-a-later-version', 4102444800000)");
    await answersReady();
    change("delete from __drizzle_migrations where hash = 'of-a-later-version'");
    change(`update __drizzle_migrations set created_at = ${NEWEST_MIGRATION.when} where created_at = -1`);
  });

  test("that was never made makes it not ready, too", async () => {
    await answersReady();
    change("alter table __drizzle_migrations rename to hidden");
    expect((await answersNotReady()).problems[0]).toContain("npm run migrate");
    change("alter table hidden rename to __drizzle_migrations");
    await answersReady();
  });
});

describe("a database that", () => {
  afterEach(() => answersReady());

  test("is frozen is told, however many ask, and its return is noticed", async () => {
    await answersReady();
    libsql.signal("SIGSTOP");
    try {
      const { checks, problems } = await answersNotReady();
      expect(checks).toEqual(WITHOUT_DATABASE);
      expect(problems[0]).toContain("DATABASE_URL");
      const all = await Promise.all(Array.from({ length: 30 }, () => ready()));
      expect(new Set(all.map(({ status }) => status))).toEqual(new Set([503]));
      await alive();
    } finally {
      libsql.signal("SIGCONT");
    }
  });

  test("is gone is told, and its return is noticed", async () => {
    await answersReady();
    const { port } = new URL(libsql.url);
    await libsql.end("SIGKILL");
    const { checks } = await answersNotReady();
    expect(checks).toEqual(WITHOUT_DATABASE);
    await alive();
    libsql = await startLibsqlProcess(file, "--port", port);
  });
});

test("settings that cannot work are named in one line of the log and in the answer, and nobody else is asked", async () => {
  const lines: string[] = [];
  const broken = await startWorker({
    script: await bundleWorker(),
    persistTo: join(directory, "broken"),
    bindings: {
      DATABASE_URL: libsql.url,
      BELLHOP_SECRET: "short",
      METRICS_TOKEN: "short-token",
      LOG_LEVEL: "loud",
      TRUSTED_REQUEST_ID_HEADER: "not a header",
      REQUIRE_SECOND_PUBLISHER: "yes",
      IDLE_POLL_SECONDS: "0",
    },
    onLogLine: (line) => void lines.push(line),
  });
  try {
    const response = await fetch(`${broken.url}/readyz`);
    const body = checkReadiness.answer.schema.parse(await response.json());
    expect(response.status).toBe(503);
    expect(body.checks).toEqual([{ name: "settings", ready: false }]);
    for (const name of [
      "BELLHOP_SECRET",
      "METRICS_TOKEN",
      "LOG_LEVEL",
      "TRUSTED_REQUEST_ID_HEADER",
      "REQUIRE_SECOND_PUBLISHER",
      "IDLE_POLL_SECONDS",
    ]) {
      expect(body.problems.filter((problem) => problem.startsWith(name))).toHaveLength(1);
    }
    expect(JSON.stringify(body)).not.toContain("short-token");
    for (const token of ["bht_one", "bht_two"]) {
      const refused = await fetch(`${broken.url}/api/v1/automation/agents`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      const { code, detail } = problemSchema.parse(await refused.json());
      expect([refused.status, code]).toEqual([503, "unavailable"]);
      expect(detail).toContain("BELLHOP_SECRET must have at least 32 characters");
    }
    expect(lines.filter((line) => line.includes("settings are wrong"))).toHaveLength(1);
  } finally {
    await broken.stop();
  }
});
