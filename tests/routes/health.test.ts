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
import { migrateDatabase } from "../../scripts/migrate-database.ts";
import { startWorker } from "../../scripts/worker-runtime.ts";
import type { WorkerRuntime } from "../../scripts/worker-runtime.ts";
import { DATABASE_KINDS } from "../support/database-server.ts";
import { eventually } from "../support/eventually.ts";
import { startLibsqlProcess } from "../support/libsql-process.ts";
import type { LibsqlProcess } from "../support/libsql-process.ts";
import { workerScript } from "../support/worker-script.ts";

/** The database is a separate process, so that a test can stop it. */
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
    script: await workerScript(),
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

/** The response of /readyz is cached for a second. */
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

test("a deployment that can serve says so to anonymous callers, with its parts and its version", async () => {
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

describe("a database's schema", () => {
  /** Writes to the file: the server reads it at every query. */
  const change = (sql: string) => {
    const database = new Database(file);
    database.run("pragma busy_timeout = 30000");
    database.run(sql);
    database.close();
  };
  test("that lacks the last migration is not ready, with the command to run; a newer one is ready", async () => {
    await answersReady();
    change(`update __drizzle_migrations set created_at = -1 where created_at = ${NEWEST_MIGRATION.when}`);
    const { problems, checks } = await answersNotReady();
    expect(checks).toEqual(WITHOUT_DATABASE);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(NEWEST_MIGRATION.tag);
    expect(problems[0]).toContain("npm run migrate");
    await alive();
    // The state after a later version's migration and a rollback of the Worker.
    change("insert into __drizzle_migrations (hash, created_at) values ('of-a-later-version', 4102444800000)");
    await answersReady();
    change("delete from __drizzle_migrations where hash = 'of-a-later-version'");
    change(`update __drizzle_migrations set created_at = ${NEWEST_MIGRATION.when} where created_at = -1`);
  });

  test("that was never created is not ready", async () => {
    await answersReady();
    change("alter table __drizzle_migrations rename to hidden");
    expect((await answersNotReady()).problems[0]).toContain("npm run migrate");
    change("alter table hidden rename to __drizzle_migrations");
    await answersReady();
  });
});

describe("a database", () => {
  afterEach(() => answersReady());

  test("that is frozen is reported to any number of requests, and so is its return", async () => {
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

  test("that is gone is reported, and so is its return", async () => {
    await answersReady();
    const { port } = new URL(libsql.url);
    await libsql.end("SIGKILL");
    const { checks } = await answersNotReady();
    expect(checks).toEqual(WITHOUT_DATABASE);
    await alive();
    libsql = await startLibsqlProcess(file, ["--port", port]);
  });
});

test.each(DATABASE_KINDS.filter(({ skipped }) => skipped === null))(
  "a token that the database refuses is named: $name",
  async ({ startServer }) => {
    const server = await startServer();
    const wrong = await startWorker({
      script: await workerScript(),
      persistTo: join(directory, crypto.randomUUID()),
      bindings: {
        DATABASE_URL: server.url,
        DATABASE_AUTH_TOKEN: "of-another-database",
        BELLHOP_SECRET: "health-test-secret-0123456789-0123456789",
      },
    });
    try {
      const response = await fetch(`${wrong.url}/readyz`);
      const { checks, problems } = checkReadiness.answer.schema.parse(await response.json());
      expect([response.status, checks]).toEqual([503, WITHOUT_DATABASE]);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain("refuses DATABASE_AUTH_TOKEN");
    } finally {
      await wrong.stop();
      await server.dispose();
    }
  },
);

test("invalid settings are named in one log line and in the response, and nothing else is checked", async () => {
  const lines: string[] = [];
  const broken = await startWorker({
    script: await workerScript(),
    persistTo: join(directory, "broken"),
    bindings: {
      DATABASE_URL: "http://db.example.com",
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
      "DATABASE_URL",
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
