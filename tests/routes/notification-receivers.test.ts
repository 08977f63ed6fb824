import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as api from "../../schema/contract/api/notifications.ts";
import { deletedSchema } from "../../schema/contract/management.ts";
import { notificationReceiverSchema } from "../../schema/contract/notification-receiver.ts";
import { NOTIFICATION_RECEIVERS_MAX } from "../../schema/limits.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { undescribed } from "../support/described.ts";
import { call, dataOf, errorPathsOf, pageOf, problemOf } from "../support/management-api.ts";
import { createUser, signedIn } from "../support/people.ts";

let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

const PATH = "/notification-receivers";
const SECRET = "a1b2c3d4e5f6g7h8i9j0k1l2";
const SHORT_SECRET = "abcde1";
const SLACK = `https://hooks.slack.com/services/T01234567/B01234567/${SECRET}`;
const TEAMS = `https://prod-1.westeurope.logic.azure.com/workflows/${SECRET}/triggers/manual/paths/invoke?sig=${SECRET}`;

let names = 0;
const fields = (more: object = {}) => ({
  name: `receiver ${(names += 1)}`,
  type: "email",
  to: "ada@example.com",
  ...more,
});
const create = async (more: object = {}) =>
  dataOf(await call(bellhop, "POST", PATH, fields(more)), 201, notificationReceiverSchema);
const change = async (id: string, body: object) =>
  dataOf(await call(bellhop, "PUT", `${PATH}/${id}`, body), 200, notificationReceiverSchema);

/** Every stored text about a receiver: its row, and its audit entries. */
async function storedAbout(id: string): Promise<string> {
  const rows = await query(bellhop, "select * from notification_receivers where id = ?", [id]);
  const entries = await query(bellhop, "select * from audit_log where subject_id = ? order by id", [id]);
  return JSON.stringify([rows, entries]);
}

describe("receivers of notifications", () => {
  test("are created, shown, changed and deleted, and the audit log has each change", async () => {
    const made = await create({ to: ["Ada <ada@example.com>, bob@example.com", "bob@example.com"] });
    expect(made).toMatchObject({
      type: "email",
      to: ["Ada <ada@example.com>", "bob@example.com"],
      toShown: "Ada <ada@example.com>, bob@example.com",
      revision: 1,
    });
    const one = `${PATH}/${made.id}`;
    const read = await call(bellhop, "GET", one);
    expect(read.headers.get("ETag")).toContain('"1.');
    expect(await dataOf(read, 200, notificationReceiverSchema)).toEqual(made);
    expect(await change(made.id, { name: "Mail", type: "email" })).toMatchObject({
      name: "Mail",
      to: made.to,
      revision: 2,
    });
    expect(await change(made.id, fields({ type: "sms", to: "+1 500 555 0006" }))).toMatchObject({
      type: "sms",
      to: ["+15005550006"],
    });
    expect(await dataOf(await call(bellhop, "DELETE", one), 200, deletedSchema)).toEqual({ id: made.id });
    for (const [method, body] of [["GET"], ["DELETE"], ["PUT", fields()]] as const) {
      await problemOf(await call(bellhop, method, one, body), 404, "not_found");
    }
    const entries = await query(bellhop, "select verb, subject_type from audit_log where subject_id = ? order by id", [
      made.id,
    ]);
    expect(entries.map((entry) => Object.values(entry).join(" "))).toEqual([
      "create notification-receiver",
      "update notification-receiver",
      "update notification-receiver",
      "delete notification-receiver",
    ]);
  });

  test.each([
    ["webhook", `https://hooks.example.com/alerts?token=${SECRET}`, "https://hooks.example.com/…"],
    ["webhook", `https://hooks.example.com:8443/catch/1234/${SHORT_SECRET}/`, "https://hooks.example.com:8443/…"],
    ["webhook", `https://ntfy.example.com/${SHORT_SECRET}`, "https://ntfy.example.com/…"],
    ["slack", SLACK, "https://hooks.slack.com/…"],
    ["teams", TEAMS, "https://prod-1.westeurope.logic.azure.com/…"],
  ])("of type %s keep their address encrypted: no answer, audit entry or column shows it", async (type, to, shown) => {
    const made = await create({ type, to });
    expect(made).toMatchObject({ type, to: null, toShown: shown });
    const kept = await change(made.id, { name: `kept ${made.name}`, type });
    expect(kept).toMatchObject({ to: null, toShown: shown, revision: 2 });
    const [sealed] = await query(bellhop, "select sealed_address from notification_receivers where id = ?", [made.id]);
    const again = await change(made.id, { name: made.name, type, to });
    const answers = JSON.stringify([made, kept, again, await (await call(bellhop, "GET", PATH)).json()]);
    const stored = await storedAbout(made.id);
    for (const text of [answers, stored]) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(SHORT_SECRET);
    }
    expect(String(sealed?.["sealed_address"])).toStartWith("sealed1.");
    expect(stored).not.toContain(String(sealed?.["sealed_address"]));
  });

  test("keep their address without `to`, and need one for another type", async () => {
    const { id, name } = await create({ type: "slack", to: SLACK });
    const sealed = async () => query(bellhop, "select sealed_address from notification_receivers where id = ?", [id]);
    const before = await sealed();
    await change(id, { name, type: "slack" });
    expect(await sealed()).toEqual(before);
    const other = await call(bellhop, "PUT", `${PATH}/${id}`, { name, type: "teams" });
    expect(await errorPathsOf(other)).toEqual(["to"]);
  });

  test("change only for a caller who has seen the present state", async () => {
    const { id } = await create();
    const withTag = (method: string, tag: string, body?: object) =>
      bellhop.api(method, `/api/v1/automation${PATH}/${id}`, body, { "If-Match": tag });
    await problemOf(await withTag("PUT", '"7"', fields()), 412, "precondition_failed");
    await problemOf(await withTag("DELETE", '"7"'), 412, "precondition_failed");
    expect((await withTag("PUT", '"1"', fields())).status).toBe(200);
    expect((await withTag("DELETE", '"2"')).status).toBe(200);
  });

  test("are listed, the newest first", async () => {
    const [first, second] = [await create(), await create()];
    const page = await pageOf(await call(bellhop, "GET", `${PATH}?limit=1`), notificationReceiverSchema);
    expect(page.items.map(({ id }) => id)).toEqual([second.id]);
    const next = await call(bellhop, "GET", `${PATH}?limit=1&cursor=${page.nextCursor}`);
    expect((await pageOf(next, notificationReceiverSchema)).items).toEqual([first]);
  });

  test("have a name of which there is one", async () => {
    const [first, second] = [await create(), await create()];
    await problemOf(await call(bellhop, "POST", PATH, fields({ name: first.name })), 409, "conflict");
    const renamed = await call(bellhop, "PUT", `${PATH}/${second.id}`, fields({ name: first.name }));
    await problemOf(renamed, 409, "conflict");
  });

  test.each<[what: object, paths: string[]]>([
    [{ name: "" }, ["name"]],
    [{ name: "a\nb" }, ["name"]],
    [{ name: "x".repeat(201) }, ["name"]],
    [{ type: "pager" }, ["type"]],
    [{ to: undefined }, ["to"]],
    [{ to: "" }, ["to"]],
    [{ to: [] }, ["to"]],
    [{ to: 7 }, ["to"]],
    [{ to: "not an address" }, ["to"]],
    [{ to: ["ada@example.com", "bob"] }, ["to.1"]],
    [{ to: " , " }, ["to"]],
    [{ to: "ada@example.com\r\nBcc: eve@example.com" }, ["to"]],
    [{ to: Array.from({ length: 101 }, (_, at) => `a${at}@example.com`) }, ["to"]],
    [{ to: Array.from({ length: 101 }, (_, at) => `a${at}@example.com`).join(",") }, ["to"]],
    [{ type: "sms", to: "12345" }, ["to"]],
    [{ type: "sms", to: ["+15005550006", "+15005550007"] }, ["to"]],
    [{ type: "webhook", to: "hooks.example.com" }, ["to"]],
    [{ type: "webhook", to: "https://a:b@hooks.example.com/" }, ["to"]],
    [{ type: "webhook", to: "http://hooks.example.com/" }, ["to"]],
    [{ type: "webhook", to: "https://10.0.0.1/" }, ["to"]],
    [{ type: "webhook", to: ["https://a.example.com/", "https://b.example.com/"] }, ["to"]],
    [{ type: "webhook", to: ["https://192.168.1.1/"] }, ["to.0"]],
    [{ type: "slack", to: "ftp://hooks.slack.com/services/x" }, ["to"]],
    [{ type: "slack", to: "http://hooks.slack.com/services/x" }, ["to"]],
    [{ type: "slack", to: "https://localhost/services/x" }, ["to"]],
    [{ type: "slack", to: "https://hooks.slack.com/" }, ["to"]],
    [{ type: "slack", to: "https://hooks.slack.com/services/" }, ["to"]],
    [{ type: "teams", to: "https://prod-1.westeurope.logic.azure.com/" }, ["to"]],
    [{ type: "slack", to: "https://example.com/services/x" }, ["to"]],
    [{ type: "slack", to: "https://hooks.slack.com.example.com/services/x" }, ["to"]],
    [{ type: "teams", to: "http://127.0.0.1/" }, ["to"]],
    [{ colour: "red" }, ["colour"]],
  ])("with %j are refused with the path", async (more, paths) => {
    expect(await errorPathsOf(await call(bellhop, "POST", PATH, fields(more)))).toEqual(paths);
    const { id } = await create();
    const changed = { ...fields(more), ...("to" in more && more.to === undefined ? { to: "" } : {}) };
    expect(await errorPathsOf(await call(bellhop, "PUT", `${PATH}/${id}`, changed))).toEqual(paths);
  });

  test.each([
    ["slack", "#ops", "Incoming Webhooks"],
    ["slack", "https://example.com/services/x", "https://hooks.slack.com/services/"],
    ["teams", "Operations", "Send webhook alerts to a channel"],
  ])("of type %s with %s say where the address comes from", async (type, to, says) => {
    const { errors } = await problemOf(await call(bellhop, "POST", PATH, fields({ type, to })), 400, "invalid_request");
    expect(errors?.[0]?.message).toContain(says);
  });

  test("of Slack may be at GovSlack", async () => {
    await create({ type: "slack", to: "https://hooks.slack-gov.com/services/T0/B0/x" });
  });

  test("do not repeat a refused secret address in the error", async () => {
    const refused = await call(bellhop, "POST", PATH, fields({ type: "slack", to: SLACK.replace("https", "http") }));
    expect(await refused.text()).not.toContain(SECRET);
  });

  test("answer as the description says", async () => {
    const { id } = await create();
    const one = (method: string, body?: object) => call(bellhop, method, `${PATH}/${id}`, body);
    expect(await undescribed(api.createNotificationReceiver, await call(bellhop, "POST", PATH, fields()))).toEqual([]);
    expect(await undescribed(api.createNotificationReceiver, await call(bellhop, "POST", PATH, {}))).toEqual([]);
    expect(await undescribed(api.listNotificationReceivers, await call(bellhop, "GET", PATH))).toEqual([]);
    expect(await undescribed(api.getNotificationReceiver, await one("GET"))).toEqual([]);
    expect(await undescribed(api.replaceNotificationReceiver, await one("PUT", fields()))).toEqual([]);
    expect(await undescribed(api.deleteNotificationReceiver, await one("DELETE"))).toEqual([]);
    expect(await undescribed(api.deleteNotificationReceiver, await one("DELETE"))).toEqual([]);
  });

  test("are changed by administrators, and read by viewers", async () => {
    const path = `/api/v1/automation${PATH}`;
    const { id } = await create();
    for (const role of ["viewer", "operator", "editor"] as const) {
      const person = await signedIn(bellhop, await createUser(bellhop, { role }));
      expect((await person.call("GET", path)).status).toBe(200);
      expect((await person.call("GET", `${path}/${id}`)).status).toBe(200);
      await problemOf(await person.call("POST", path, fields()), 403, "forbidden");
      await problemOf(await person.call("PUT", `${path}/${id}`, fields()), 403, "forbidden");
      await problemOf(await person.call("DELETE", `${path}/${id}`), 403, "forbidden");
    }
  });

  test("have a limit", async () => {
    await query(bellhop, "delete from notification_receivers");
    await query(
      bellhop,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
       insert into notification_receivers (id, name, type, shown, created_at, updated_at)
       select 'ntr_' || i, 'many ' || i, 'email', 'x', 0, 0 from n`,
      [NOTIFICATION_RECEIVERS_MAX - 1],
    );
    const atOnce = await Promise.all([1, 2, 3, 4].map(() => call(bellhop, "POST", PATH, fields())));
    expect(atOnce.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    await problemOf(await call(bellhop, "POST", PATH, fields()), 409, "conflict");
  });
});
