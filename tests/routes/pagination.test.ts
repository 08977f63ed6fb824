import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { lowestIdAt } from "../../worker/services/ids.ts";
import { openDatabase } from "../../worker/store/database.ts";
import { listExecutions } from "../../worker/store/execution-reads.ts";
import type { ExecutionFilter } from "../../worker/store/execution-reads.ts";
import { newId } from "../../worker/services/ids.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { operations } from "../support/described.ts";
import {
  call,
  createAgent,
  createConnection,
  createWorkflow,
  errorPathsOf,
  pageOf,
} from "../support/management-api.ts";
import { query } from "../support/database.ts";
import { WINDOWS, createWindow } from "../support/maintenance.ts";

const BASE = "/api/v1/automation";
const WORKFLOWS = ["wf_a", "wf_b"] as const;
const STATUSES = ["running", "succeeded", "failed"] as const;
const MINUTE = 60_000;
const START = Date.parse("2026-01-05T12:00:00.000Z");
const COUNT = 36;

interface Stored {
  id: string;
  workflowId: string;
  status: string;
  trigger?: "cron" | "manual";
  startedAt: number;
}

let bellhop: Bellhop;
/** Oldest first, one minute apart. */
let stored: Stored[];
beforeAll(async () => {
  bellhop = await startBellhop();
  stored = Array.from({ length: COUNT }, (_, n) => ({
    id: newId("execution", START + n * MINUTE),
    workflowId: WORKFLOWS[n % 2] ?? "",
    status: STATUSES[n % 3] ?? "",
    trigger: n < 10 ? "manual" : "cron",
    startedAt: START + n * MINUTE,
  }));
  for (const row of stored) await store(row);
});
afterAll(() => bellhop.stop());

function store({ id, workflowId, status, trigger = "manual", startedAt }: Stored) {
  return query(
    bellhop,
    `insert into executions (id, workflow_id, version_id, status, trigger, trigger_key, revision, started_at)
      values (?, ?, 'wfv_x', ?, ?, ?, 1, ?)`,
    [id, workflowId, status, JSON.stringify(TRIGGERS[trigger]), id, startedAt],
  );
}

const TRIGGERS = {
  cron: { type: "cron", scheduledAt: "2026-01-05T12:00:00.000Z" },
  manual: { type: "manual", variables: {}, by: null },
};
const at = (minute: number) => new Date(START + minute * MINUTE).toISOString();
const listed = z.object({ id: z.string() });

/** All pages of a list, following its cursors. */
async function walk(path: string, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const separator = path.includes("?") ? "&" : "?";
    const next: string = `${path}${separator}limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`;
    const page = await pageOf(await call(bellhop, "GET", next), listed);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return ids;
}

const FILTERS = ["workflowId", "status", "from", "to", "trigger"] as const;
const VALUES = { workflowId: "wf_b", status: "failed", from: at(7), to: at(29), trigger: "cron" };
/** Every combination of the five. */
const COMBINATIONS = Array.from({ length: 2 ** FILTERS.length }, (_, bits) =>
  FILTERS.filter((_name, index) => (bits & (1 << index)) !== 0),
);

describe("executions by workflow, status, trigger and time", () => {
  test.each(COMBINATIONS.map((names) => ({ names })))("$names", async ({ names }) => {
    const has = (name: (typeof FILTERS)[number]) => names.includes(name);
    const expected = stored
      .filter(({ workflowId }) => !has("workflowId") || workflowId === VALUES.workflowId)
      .filter(({ status }) => !has("status") || status === VALUES.status)
      .filter(({ trigger }) => !has("trigger") || trigger === VALUES.trigger)
      .filter(({ startedAt }) => !has("from") || startedAt >= Date.parse(VALUES.from))
      .filter(({ startedAt }) => !has("to") || startedAt <= Date.parse(VALUES.to))
      .map(({ id }) => id)
      .toReversed();
    expect(expected.length).toBeGreaterThan(2);
    const search = names.map((name) => `${name}=${VALUES[name]}`).join("&");
    for (const limit of [1, 5, 200]) expect(await walk(`/executions?${search}`, limit)).toEqual(expected);
  });

  test("both ends of a time range belong to it, in any time zone", async () => {
    const zoned = "2026-01-05T14:03:00.000+02:00";
    const found = await walk(`/executions?from=${encodeURIComponent(zoned)}&to=${at(3)}`, 50);
    expect(found).toEqual([stored[3]?.id ?? ""]);
  });

  test("an execution counts from its start, although its id was created earlier or later", async () => {
    const early = {
      id: newId("execution", START - 600 * MINUTE),
      workflowId: "wf_c",
      status: "failed",
      startedAt: START,
    };
    const late = {
      id: newId("execution", START + 30 * MINUTE),
      workflowId: "wf_c",
      status: "failed",
      startedAt: START,
    };
    await store(early);
    await store(late);
    for (const search of [`from=${at(0)}&to=${at(0)}`, `from=${at(-1)}`, `to=${at(1)}`]) {
      expect(await walk(`/executions?workflowId=wf_c&${search}`, 1)).toEqual([late.id, early.id]);
    }
    expect(await walk(`/executions?workflowId=wf_c&from=${at(1)}`, 1)).toEqual([]);
    expect(await walk(`/executions?workflowId=wf_c&to=${at(-1)}`, 1)).toEqual([]);
  });

  test("executions that start meanwhile move nothing on the next pages", async () => {
    const first = await pageOf(await call(bellhop, "GET", "/executions?workflowId=wf_a&limit=3"), listed);
    const fresh = { id: newId("execution", Date.now()), workflowId: "wf_a", status: "running", startedAt: Date.now() };
    await store(fresh);
    const second = await pageOf(
      await call(bellhop, "GET", `/executions?workflowId=wf_a&limit=3&cursor=${first.nextCursor}`),
      listed,
    );
    const ids = [...first.items, ...second.items].map(({ id }) => id);
    const known = stored.filter(({ workflowId }) => workflowId === "wf_a").map(({ id }) => id);
    expect(ids).toEqual(known.toReversed().slice(0, 6));
    await query(bellhop, "delete from executions where id = ?", [fresh.id]);
  });

  test("waiting executions are running ones with a step that waits", async () => {
    const [waits, runs] = [0, 1].map((n) => newId("execution", START + n * MINUTE));
    for (const [id = "", status] of [
      [waits, "waiting"],
      [runs, "running"],
    ] as const) {
      await store({ id, workflowId: "wf_w", status: "running", startedAt: START });
      await query(bellhop, "insert into node_runs (id, execution_id, node_id, status) values (?, ?, 'a', ?)", [
        `run_${id}`,
        id,
        status,
      ]);
    }
    expect(await walk("/executions?status=waiting", 50)).toEqual([waits ?? ""]);
    expect(await walk("/executions?status=waiting&workflowId=wf_w&trigger=manual", 50)).toEqual([waits ?? ""]);
    expect(await walk("/executions?status=waiting&trigger=cron", 50)).toEqual([]);
    await query(bellhop, "delete from executions where workflow_id = 'wf_w'", []);
  });

  test("every filter is validated", async () => {
    const bad = "/executions?status=done&trigger=email&from=yesterday&to=2026-01-05&limit=0&cursor=";
    expect(await errorPathsOf(await call(bellhop, "GET", bad))).toEqual([
      "cursor",
      "from",
      "limit",
      "status",
      "to",
      "trigger",
    ]);
    const page = await pageOf(await call(bellhop, "GET", "/executions?limit=1"), listed);
    const cut = page.nextCursor?.slice(0, -4);
    expect(await errorPathsOf(await call(bellhop, "GET", `/executions?cursor=${cut}`))).toEqual(["cursor"]);
  });
});

describe("every combination of filters is served in order by one index", () => {
  const filterOf = (names: readonly (typeof FILTERS)[number][]): ExecutionFilter => {
    const from = names.includes("from") ? START : undefined;
    const to = names.includes("to") ? START + 5 * MINUTE : undefined;
    return {
      workflowId: names.includes("workflowId") ? "wf_b" : undefined,
      status: names.includes("status") ? "failed" : undefined,
      trigger: names.includes("trigger") ? "cron" : undefined,
      started: { from, to },
      ids: {
        from: from === undefined ? undefined : lowestIdAt("execution", from),
        before: to === undefined ? undefined : lowestIdAt("execution", to),
      },
    };
  };

  test.each(
    COMBINATIONS.flatMap((names) => [
      { names, paged: "" },
      { names, paged: "with a cursor" },
    ]),
  )("$names $paged", async ({ names, paged }) => {
    const db = openDatabase({ url: bellhop.libsql.url });
    const page = { beforeId: paged === "" ? null : lowestIdAt("execution", START + 9 * MINUTE), limit: 51 };
    const { sql, params } = statement.parse(Object(listExecutions(db, filterOf(names), page)).toSQL());
    const rows = await query(bellhop, `explain query plan ${sql}`, params);
    const plan = rows.map((row) => String(row["detail"])).join("; ");
    expect(plan).not.toContain("TEMP B-TREE");
    const rare = names.filter((name) => name === "workflowId" || name === "status").length;
    // The index on the trigger serves lists without a workflow and a status.
    const equal = rare === 0 && names.includes("trigger") ? 1 : rare;
    const bounded = names.includes("from") || names.includes("to") || paged !== "";
    if (equal > 0 || bounded) expect(plan).toMatch(/^SEARCH executions USING INDEX/u);
    if (bounded) expect(plan).toMatch(/id[<>]\?/u);
    expect(plan.split("=?").length - 1).toBe(equal);
  });
  const statement = z.object({ sql: z.string(), params: z.array(z.union([z.string(), z.number()])) });
});

describe("every list", () => {
  /** The number of these rows is fixed, and fits one page. */
  const FIXED = new Set(["listNotificationChannels", "listWebhookDeliveries"]);
  const lists = operations.filter(({ id, answer }) => answer.kind === "page" && !FIXED.has(id));

  test.each(lists)(
    "$id takes limit and cursor, and says what is wrong with them",
    async ({ path, query: shape, method }) => {
      expect(method).toBe("GET");
      expect(Object.keys(shape instanceof z.ZodObject ? shape.shape : {})).toEqual(
        expect.arrayContaining(["limit", "cursor"]),
      );
      const { id } = !path.includes("{id}")
        ? { id: "" }
        : path.includes(WINDOWS)
          ? await createWindow(bellhop, { everything: true, mode: "hold" })
          : await createWorkflow(bellhop);
      const address = path.replace("{id}", id);
      for (const limit of ["0", "201", "1.5", "many"]) {
        expect(await errorPathsOf(await bellhop.api("GET", `${address}?limit=${limit}`))).toEqual(["limit"]);
      }
      expect(await errorPathsOf(await bellhop.api("GET", `${address}?cursor=notacursor`))).toEqual(["cursor"]);
      expect(await errorPathsOf(await bellhop.api("GET", `${address}?limit=1&limit=2`))).toEqual(["limit"]);
      expect(await errorPathsOf(await bellhop.api("GET", `${address}?statsu=failed`))).toEqual(["statsu"]);
      const page = await pageOf(await bellhop.api("GET", `${address}?limit=200`), z.unknown());
      expect(page.nextCursor).toBeNull();
    },
  );

  test("continues where the page before ended", async () => {
    const made = {
      agents: async (n: number) => (await createAgent(bellhop, { name: `${n}` })).agent.id,
      connections: async (n: number) => (await createConnection(bellhop, { name: `${n}` })).id,
      workflows: async (n: number) => (await createWorkflow(bellhop, { name: `${n}` })).id,
    };
    for (const [kind, make] of Object.entries(made)) {
      const ids: string[] = [];
      for (let n = 0; n < 4; n += 1) ids.unshift(await make(n));
      for (const limit of [1, 2, 3]) expect((await walk(`/${kind}`, limit)).slice(0, 4)).toEqual(ids);
    }
  });

  test("refuses parameters of other operations", async () => {
    const { id } = await createWorkflow(bellhop);
    const response = await bellhop.api("GET", `${BASE}/workflows/${id}?verbose=1`);
    const { errors } = z
      .object({ errors: z.array(z.object({ path: z.string(), message: z.string() })) })
      .parse(await response.json());
    expect(errors).toEqual([{ path: "verbose", message: "is not a parameter here: remove it" }]);
  });
});

test.each(["executions", "incidents", "audit"])(
  "a time range of %s that ends before it begins is refused",
  async (kind) => {
    const span = (from: string, to: string) => bellhop.api("GET", `/api/v1/automation/${kind}?from=${from}&to=${to}`);
    const [early, late] = ["2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z"];
    expect(await errorPathsOf(await span(late, early))).toEqual(["to"]);
    expect((await span(early, late)).status).toBe(200);
    expect((await span(early, early)).status).toBe(200);
  },
);

test.each(["1e2", "0x10", "%2B5", "5.0", "%205"])(
  "a limit of %s is refused: only digits are allowed",
  async (limit) => {
    for (const kind of ["executions", "agents", "audit"]) {
      const response = await bellhop.api("GET", `/api/v1/automation/${kind}?limit=${limit}`);
      expect(await errorPathsOf(response)).toEqual(["limit"]);
    }
  },
);
