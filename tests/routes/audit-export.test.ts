import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { exportAudit } from "../../schema/contract/api/audit.ts";
import { auditEntrySchema } from "../../schema/contract/people.ts";
import type { AuditEntryView } from "../../schema/contract/people.ts";
import { AUDIT_EXPORT_PAGE_ROWS } from "../../schema/limits.ts";
import { firstIdAt, newId } from "../../worker/services/ids.ts";
import { exportAudit as exportPages } from "../../worker/services/audit/export.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { undescribed } from "../support/described.ts";
import { call, createWorkflow, errorPathsOf, pageOf } from "../support/management-api.ts";
import { write } from "../support/old-records.ts";
import { createUser, signedIn } from "../support/people.ts";
import { testDeps } from "../support/test-deps.ts";

const FIRST_AT = Date.parse("2026-01-01T00:00:00Z");
/** More than two pages, a second apart. */
const ROWS = 2 * AUDIT_EXPORT_PAGE_ROWS + 7;
let service: Service;
beforeAll(async () => {
  service = await startApp();
  const { id } = await createWorkflow(service, { name: "Restart checkout" });
  await write(
    service,
    Array.from({ length: ROWS }, (_, index) => ({
      sql: "insert into audit_log (id, at, actor, verb, subject_type, subject_id, detail) values (?, ?, ?, 'publish', 'workflow', ?, '{}')",
      args: [newId("audit", timeOf(index)), timeOf(index), index % 2 === 0 ? "user:even" : "user:odd", id],
    })),
  );
});
afterAll(() => service.stop());

const timeOf = (index: number) => FIRST_AT + index * 1_000;
const get = (query: Record<string, string> = {}) =>
  call(service, "GET", `/audit/export?${new URLSearchParams({ to: "2026-01-02T00:00:00Z", ...query })}`);
const parse = (text: string): AuditEntryView[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => auditEntrySchema.strict().parse(JSON.parse(line)));
const lines = async (query: Record<string, string> = {}) => parse(await (await get(query)).text());

describe("an export of the audit log", () => {
  test("has every entry once, oldest first, in the shape of the list", async () => {
    const response = await get();
    expect(response.headers.get("Content-Type")).toBe("application/x-ndjson");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    const entries = parse(await response.text());
    expect(entries.map(({ at }) => Date.parse(at))).toEqual(Array.from({ length: ROWS }, (_, index) => timeOf(index)));
    const listed = await pageOf(
      await call(service, "GET", "/audit?to=2026-01-02T00:00:00Z&limit=10"),
      auditEntrySchema,
    );
    expect(entries.slice(-10).toReversed()).toEqual(listed.items);
    expect(Object.values(entries[0]?.names ?? {})).toEqual(["Restart checkout"]);
  });

  test("is as the API describes it", async () => {
    expect(await undescribed(exportAudit, await get({ from: new Date(timeOf(ROWS - 3)).toISOString() }))).toEqual([]);
  });

  test("has both ends of a span, and only what the filters match", async () => {
    const [from, to] = [new Date(timeOf(3)).toISOString(), new Date(timeOf(6)).toISOString()];
    expect((await lines({ from, to })).map(({ at }) => Date.parse(at))).toEqual([3, 4, 5, 6].map(timeOf));
    expect((await lines({ from, to, actor: "user:odd" })).map(({ at }) => Date.parse(at))).toEqual([3, 5].map(timeOf));
    expect(await lines({ from, to, verb: "delete" })).toEqual([]);
  });

  test("whose connection broke continues after the last whole line, without a gap or a repeat", async () => {
    const { body } = await get();
    if (body === null) throw new Error("no body");
    const decoder = new TextDecoder();
    let received = "";
    for await (const chunk of body) {
      received += decoder.decode(chunk, { stream: true });
      if (received.length > 50_000) break;
    }
    const whole = parse(received.slice(0, received.lastIndexOf("\n") + 1));
    expect(whole.length).toBeGreaterThan(0);
    expect(whole.length).toBeLessThan(ROWS);
    const rest = await lines({ after: whole.at(-1)?.id ?? "" });
    expect([...whole, ...rest].map(({ id }) => id)).toEqual((await lines()).map(({ id }) => id));
  });

  test("leaves out the last minute, whose entries may be written in another order than that of their ids", async () => {
    const deps = testDeps(service.libsql.url);
    const subject = "exe_late";
    const insert = (at: number) =>
      write(service, [
        {
          sql: "insert into audit_log (id, at, actor, verb, subject_type, subject_id, detail) values (?, ?, 'x', 'begin', 'execution', ?, '{}')",
          args: [newId("audit", at), at, subject],
        },
      ]);
    const access = { seenAt: 0, endsAt: null, stillAllowed: () => Promise.resolve(true) };
    const times = async (now: number, after?: string) => {
      const query = { subjectType: "execution", subjectId: subject, ...(after === undefined ? {} : { after }) };
      const entries: AuditEntryView[] = [];
      for await (const page of await exportPages({ ...deps, now: () => now }, query, access)) {
        entries.push(...parse(page));
      }
      return { times: entries.map(({ at }) => Date.parse(at)), last: entries.at(-1)?.id };
    };
    const now = Date.parse("2026-03-01T00:00:00Z");
    await insert(now - 61_000);
    await insert(now - 1_000);
    const first = await times(now);
    expect(first.times).toEqual([now - 61_000]);
    await insert(now - 2_000);
    expect((await times(now + 60_000, first.last)).times).toEqual([now - 2_000, now - 1_000]);
  });

  test("continues also below `from`", async () => {
    const from = new Date(timeOf(10)).toISOString();
    const after = firstIdAt("audit", timeOf(2));
    expect((await lines({ from, after })).length).toBe(ROWS - 10);
  });

  test("breaks when the caller may no longer read, and not before", async () => {
    const deps = testDeps(service.libsql.url);
    const pages = async (endsAt: number | null, allowed: boolean) => {
      const query = { to: "2026-01-02T00:00:00Z" };
      const access = { seenAt: 0, endsAt, stillAllowed: () => Promise.resolve(allowed) };
      let rows = 0;
      try {
        for await (const page of await exportPages(deps, query, access)) rows += parse(page).length;
      } catch (error) {
        return [rows, String(error)];
      }
      return [rows];
    };
    expect(await pages(null, true)).toEqual([ROWS]);
    const broken = [AUDIT_EXPORT_PAGE_ROWS, expect.stringContaining("may no longer read the audit log")];
    expect(await pages(null, false)).toEqual(broken);
    expect(await pages(1, true)).toEqual(broken);
  });

  test("refuses a wrong query with its path", async () => {
    for (const [query, path] of [
      ["from=yesterday", "from"],
      ["from=2026-01-01", "from"],
      ["to=2026-02-30T00:00:00Z", "to"],
      ["from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "to"],
      ["after=aud_1", "after"],
      ["after=", "after"],
      ["limit=5", "limit"],
      ["actor=", "actor"],
    ] as const) {
      expect(await errorPathsOf(await call(service, "GET", `/audit/export?${query}`))).toEqual([path]);
    }
  });

  test("is for administrators only", async () => {
    const editor = await signedIn(service, await createUser(service, { role: "editor" }));
    expect((await editor.call("GET", "/api/v1/automation/audit/export")).status).toBe(403);
    expect((await fetch(`${service.url}/api/v1/automation/audit/export`)).status).toBe(401);
  });
});
