import { describe, expect, test } from "bun:test";
import {
  actorGiven,
  actorShown,
  filtersOf,
  fromLocalInput,
  searchOf,
  toLocalInput,
} from "../../console/views/settings/audit/filters.ts";
import { subjectAddress } from "../../console/views/settings/audit/subject-address.ts";
import { actionLabel, nameOf, subjectLabel, summaryOf } from "../../console/views/settings/audit/summary.ts";
import { tabsFor } from "../../console/views/settings/tabs.ts";
import { expiryOf, expiryState } from "../../console/views/settings/tokens/expiry.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { ROLE_PERMISSIONS } from "../../schema/contract/people.ts";

const NOW = Date.parse("2026-03-10T12:00:00.000Z");
const DAY_MS = 86_400_000;

test("the settings offer only the pages that the permissions allow", () => {
  const names = (permissions: Parameters<typeof tabsFor>[0]) => tabsFor(permissions).map(({ tab }) => tab);
  expect(names(ROLE_PERMISSIONS.admin)).toEqual([
    "account",
    "users",
    "roles",
    "tokens",
    "audit",
    "retention",
    "limits",
    "notifications",
  ]);
  expect(names(ROLE_PERMISSIONS.editor)).toEqual([
    "account",
    "roles",
    "tokens",
    "retention",
    "limits",
    "notifications",
  ]);
  expect(names([])).toEqual(["account", "roles", "tokens"]);
});

describe("a token's expiry", () => {
  test("is a number of days from now, the end of a day, or never", () => {
    expect(expiryOf("30", "", NOW)).toBe(new Date(NOW + 30 * DAY_MS).toISOString());
    expect(expiryOf("never", "", NOW)).toBeNull();
    expect(new Date(expiryOf("day", "2026-03-12", NOW) ?? "").getHours()).toBe(23);
  });

  test.each(["", "2026-03-01", "soon", "2026-13-01"])("cannot be the day %j", (day) => {
    expect(expiryOf("day", day, NOW)).toBeUndefined();
  });

  test.each([
    [null, "valid"],
    [new Date(NOW).toISOString(), "expired"],
    [new Date(NOW + 7 * DAY_MS - 1).toISOString(), "soon"],
    [new Date(NOW + 7 * DAY_MS).toISOString(), "valid"],
  ] as const)("at %s makes the token %s", (at, state) => {
    expect(expiryState(at, NOW)).toBe(state);
  });
});

describe("a search of the audit log", () => {
  test("is read back unchanged from its URL", () => {
    const filters = {
      actor: "token:a & b (x@example.com)",
      verb: "publish",
      subjectType: "",
      subjectId: "wf_1",
      from: "2026-03-10T12:00:00.000Z",
      to: "",
    };
    expect(filtersOf(searchOf(filters))).toEqual(filters);
    expect(searchOf(filtersOf("?other=1"))).toBe("");
  });

  test("ignores an invalid time", () => {
    expect(filtersOf("?from=yesterday&to=2026-03-10T12:00:00%2B02:00")).toMatchObject({
      from: "",
      to: "2026-03-10T10:00:00.000Z",
    });
  });

  test.each([
    ["ada@example.com", "user:ada@example.com", "ada@example.com"],
    [" user:ada@example.com ", "user:ada@example.com", "ada@example.com"],
    ["token:ci (ada@example.com)", "token:ci (ada@example.com)", "token:ci (ada@example.com)"],
    ["bootstrap", "bootstrap", "bootstrap"],
    ["", "", ""],
  ])("finds a person by the email address alone: %s", (field, actor, shown) => {
    expect(actorGiven(field)).toBe(actor);
    expect(actorShown(actor)).toBe(shown);
  });

  test("shows local times, and includes the whole last minute", () => {
    const from = fromLocalInput("2026-03-10T12:30", "from");
    const to = fromLocalInput("2026-03-10T12:30", "to");
    expect(Date.parse(to) - Date.parse(from)).toBe(59_999);
    for (const iso of [from, to]) expect(toLocalInput(iso)).toBe("2026-03-10T12:30");
    expect([fromLocalInput("", "from"), toLocalInput("")]).toEqual(["", ""]);
  });
});

describe("an entry of the audit log", () => {
  const about = (detail: JsonObject) => ({ subjectId: "x_1", detail, names: {} });
  test.each([
    [{}, ""],
    [{ email: "a@example.com", address: null, role: "admin" }, "role: admin"],
    [{ email: "a@example.com", role: "admin", roleBefore: "viewer" }, "role: viewer → admin"],
    [{ name: "Ada", email: "a@example.com" }, "email: a@example.com"],
    [{ permissions: ["admin"] }, 'permissions: ["admin"]'],
    [{ message: "x".repeat(121) }, `message: ${"x".repeat(120)}…`],
    [{ name: "Restart checkout", executionId: "exe_1", number: 2 }, "number: 2"],
    [{ a: 1, b: 2, c: 3, d: 4, e: 5 }, "a: 1, b: 2, c: 3, d: 4, …"],
  ])("is summarised in a line: %j", (detail, line) => {
    expect(summaryOf(about(detail))).toBe(line);
  });

  test.each([
    [{ name: "Restart checkout" }, "Restart checkout"],
    [{ title: "Checkout is slow" }, "Checkout is slow"],
    [{ email: "a@example.com" }, "a@example.com"],
    [{ name: "" }, null],
    [{ name: ["x"] }, null],
    [{}, null],
  ])("names its subject: %j", (detail, name) => {
    expect(nameOf(about(detail))).toBe(name);
  });

  test("names the workflow of an execution, and the agent of a credential", () => {
    const names = { wf_1: "Restart checkout", agt_1: "web-1" };
    const cancel = { ...about({ workflowId: "wf_1" }), names };
    expect([nameOf(cancel), summaryOf(cancel)]).toEqual(["Restart checkout", ""]);
    const deliver = { ...about({ name: "A host", agentId: "agt_1", version: 2 }), names };
    expect([nameOf(deliver), summaryOf(deliver)]).toEqual(["A host", "agent: web-1, version: 2"]);
    expect(summaryOf(about({ agentId: "agt_1" }))).toBe("");
  });

  test("says its action and subject in words, and shows unknown ones as they are", () => {
    expect([actionLabel("webhook-key"), subjectLabel("token")]).toEqual(["Webhook key created", "API token"]);
    expect([actionLabel("teleport"), subjectLabel("moon")]).toEqual(["teleport", "moon"]);
  });

  test.each([
    ["update", "workflow", "wf_1", "/workflows/wf_1"],
    ["delete", "workflow", "wf_1", null],
    ["create", "token", "tok_1", null],
    ["cancel", "execution", "exe_1", "/executions/exe_1"],
  ])("%s %s links to the subject's page, if any", (verb, subjectType, subjectId, address) => {
    expect(subjectAddress({ verb, subjectType, subjectId })).toBe(address);
  });
});
