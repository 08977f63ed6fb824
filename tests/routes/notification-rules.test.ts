import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as api from "../../schema/contract/api/notification-rules.ts";
import { deletedSchema } from "../../schema/contract/management.ts";
import { notificationReceiverSchema } from "../../schema/contract/notification-receiver.ts";
import { notificationRuleSchema } from "../../schema/contract/notification-rule.ts";
import { NOTIFICATION_RULES_MAX } from "../../schema/limits.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { undescribed } from "../support/described.ts";
import {
  call,
  createConnection,
  createWorkflow,
  dataOf,
  errorPathsOf,
  pageOf,
  problemOf,
} from "../support/management-api.ts";

const PATH = "/notification-rules";
let bellhop: Service;
let receiver: string;
beforeAll(async () => {
  bellhop = await startApp();
  receiver = await createReceiver();
});
afterAll(() => bellhop.stop());

let names = 0;
async function createReceiver(): Promise<string> {
  const body = { name: `receiver ${(names += 1)}`, type: "email", to: "ada@example.com" };
  return (await dataOf(await call(bellhop, "POST", "/notification-receivers", body), 201, notificationReceiverSchema))
    .id;
}
const fields = (more: object = {}) => ({
  name: `rule ${(names += 1)}`,
  on: "run_failed",
  receivers: [receiver],
  ...more,
});
const create = async (more: object = {}) =>
  dataOf(await call(bellhop, "POST", PATH, fields(more)), 201, notificationRuleSchema);
const sinceOf = async (id: string) =>
  Number((await query(bellhop, "select since from notification_rules where id = ?", [id]))[0]?.["since"]);

describe("notification rules", () => {
  test("are created, shown, changed and deleted, and the audit log has each change", async () => {
    const made = await create({ name: "Failures" });
    expect(made).toMatchObject({
      enabled: true,
      when: "first",
      recovered: true,
      scope: { everything: true },
      groupMinutes: 5,
      lastFailure: null,
      revision: 1,
    });
    const one = `${PATH}/${made.id}`;
    const { warnings, ...shown } = made;
    expect(warnings).toEqual([]);
    expect(await dataOf(await call(bellhop, "GET", one), 200, notificationRuleSchema)).toEqual(shown);
    const quietHours = { timeZone: "Europe/Berlin", from: "22:00", to: "07:00", days: ["mon", "sun"] };
    const body = fields({ name: "Asks", on: "approval_waiting", quietHours, scope: { tags: ["A"] }, groupMinutes: 0 });
    const changed = await dataOf(await call(bellhop, "PUT", one, body), 200, notificationRuleSchema);
    expect(changed).toMatchObject({ on: "approval_waiting", quietHours, scope: { tags: ["a"] }, revision: 2 });
    expect(Object.keys(changed)).not.toContain("when");
    await dataOf(await call(bellhop, "DELETE", one), 200, deletedSchema);
    await problemOf(await call(bellhop, "GET", one), 404, "not_found");
    await problemOf(await call(bellhop, "GET", `${one}/notices`), 404, "not_found");
    const entries = await query(bellhop, "select verb from audit_log where subject_id = ? order by id", [made.id]);
    expect(entries.map(({ verb }) => verb)).toEqual(["create", "update", "delete"]);
  });

  test("are saved with a warning about tags that no workflow has", async () => {
    await createWorkflow(bellhop, { tags: ["in-use"] });
    const scope = { tags: ["in-use", "Later"] };
    const warnings = [{ path: "scope.tags.1", message: "no workflow has this tag yet" }];
    const made = await create({ scope });
    expect(made.warnings).toEqual(warnings);
    const put = () => call(bellhop, "PUT", `${PATH}/${made.id}`, fields({ scope }));
    expect((await dataOf(await put(), 200, notificationRuleSchema)).warnings).toEqual(warnings);
    await createWorkflow(bellhop, { tags: ["later"] });
    expect((await dataOf(await put(), 200, notificationRuleSchema)).warnings).toEqual([]);
  });

  test("are listed newest first, in pages", async () => {
    const [first, second] = [await create(), await create()];
    const { items, nextCursor } = await pageOf(await call(bellhop, "GET", `${PATH}?limit=1`), notificationRuleSchema);
    expect(items.map(({ id }) => id)).toEqual([second.id]);
    const next = await call(bellhop, "GET", `${PATH}?limit=1&cursor=${nextCursor}`);
    expect((await pageOf(next, notificationRuleSchema)).items.map(({ id }) => id)).toEqual([first.id]);
  });

  test("keep their names to themselves, also when they are renamed", async () => {
    const { name, id } = await create();
    await problemOf(await call(bellhop, "POST", PATH, fields({ name })), 409, "conflict");
    const other = await create();
    await problemOf(await call(bellhop, "PUT", `${PATH}/${other.id}`, fields({ name })), 409, "conflict");
    await dataOf(await call(bellhop, "PUT", `${PATH}/${id}`, fields({ name })), 200, notificationRuleSchema);
  });

  test("refuse a change of a version that is no longer the newest", async () => {
    const { id } = await create();
    const one = `/api/v1/automation${PATH}/${id}`;
    const stale = await bellhop.api("PUT", one, fields(), { "If-Match": '"7"' });
    await problemOf(stale, 412, "precondition_failed");
  });

  test("report events from their creation on; an edit keeps that, and switching on or another event renews it", async () => {
    const { id } = await create();
    const put = (more: object) => call(bellhop, "PUT", `${PATH}/${id}`, fields(more));
    await query(bellhop, "update notification_rules set since = 5 where id = ?", [id]);
    await put({ when: "every" });
    expect(await sinceOf(id)).toBe(5);
    await put({ enabled: false });
    await put({ enabled: true });
    expect(await sinceOf(id)).toBeGreaterThan(5);
    await query(bellhop, "update notification_rules set since = 5 where id = ?", [id]);
    await put({ on: "limit_reached" });
    expect(await sinceOf(id)).toBeGreaterThan(5);
  });

  const quiet = (more: object) => ({ quietHours: { timeZone: "UTC", from: "22:00", to: "07:00", ...more } });
  test.each<[what: object, paths: string[]]>([
    [{ name: "" }, ["name"]],
    [{ name: "a\nb" }, ["name"]],
    [{ on: "run_succeeded" }, ["on"]],
    [{ on: undefined }, ["on"]],
    [{ enabled: "yes" }, ["enabled"]],
    [{ when: "sometimes" }, ["when"]],
    [{ recovered: 1 }, ["recovered"]],
    [{ on: "approval_waiting", when: "first" }, ["when"]],
    [{ scope: {} }, ["scope"]],
    [{ scope: { everything: false } }, ["scope.everything"]],
    [{ scope: { everything: true, tags: ["a"] } }, ["scope"]],
    [{ scope: { tags: [] } }, ["scope.tags"]],
    [{ scope: { tags: ["a,b"] } }, ["scope.tags.0"]],
    [{ scope: { tags: ["a", "A"] } }, ["scope.tags"]],
    [{ scope: { workflowIds: ["wf_none"] } }, ["scope.workflowIds.0"]],
    [{ scope: { workflowIds: [7] } }, ["scope.workflowIds.0"]],
    [{ scope: { tags: Array.from({ length: 101 }, (_, at) => `t${at}`) } }, ["scope.tags"]],
    [{ scope: { service: "a" } }, ["scope", "scope.service"]],
    [{ receivers: [] }, ["receivers"]],
    [{ receivers: "ntr_1" }, ["receivers"]],
    [{ receivers: ["ntr_none"] }, ["receivers.0"]],
    [{ receivers: Array.from({ length: 11 }, (_, at) => `ntr_${at}`) }, ["receivers"]],
    [{ receivers: ["ntr_none", "ntr_none"] }, ["receivers"]],
    [{ groupMinutes: -1 }, ["groupMinutes"]],
    [{ groupMinutes: 1.5 }, ["groupMinutes"]],
    [{ groupMinutes: 1_441 }, ["groupMinutes"]],
    [quiet({ timeZone: "Mars/Olympus" }), ["quietHours.timeZone"]],
    [quiet({ timeZone: "+02:00" }), ["quietHours.timeZone"]],
    [quiet({ from: "24:00" }), ["quietHours.from"]],
    [quiet({ from: "9:00" }), ["quietHours.from"]],
    [quiet({ to: "22:00" }), ["quietHours.to"]],
    [quiet({ days: [] }), ["quietHours.days"]],
    [quiet({ days: ["monday"] }), ["quietHours.days.0"]],
    [quiet({ days: ["mon", "mon"] }), ["quietHours.days"]],
    [quiet({ except: [] }), ["quietHours.except"]],
    [{ on: "agent_offline", minutes: 0 }, ["minutes"]],
    [{ on: "pool_offline", minutes: 1_441 }, ["minutes"]],
    [{ on: "queue_old", minutes: 1.5 }, ["minutes"]],
    [{ on: "database_trouble", minutes: "2" }, ["minutes"]],
    [{ on: "database_trouble", poolIds: ["web"] }, ["poolIds"]],
    [{ on: "agent_offline", poolIds: [] }, ["poolIds"]],
    [{ on: "agent_offline", poolIds: ["a b"] }, ["poolIds.0"]],
    [{ on: "pool_offline", poolIds: ["none"] }, ["poolIds.0"]],
    [{ on: "queue_old", scope: { everything: true } }, ["scope"]],
    [{ on: "credential_failed", minutes: 1 }, ["minutes"]],
    [{ colour: "red" }, ["colour"]],
  ])("with %j are refused with the path", async (more, paths) => {
    expect(await errorPathsOf(await call(bellhop, "POST", PATH, fields(more)))).toEqual(paths);
  });

  test("keep a workflow that was deleted after it was named", async () => {
    const { id: workflowId } = await createWorkflow(bellhop);
    const scope = { workflowIds: [workflowId] };
    const { id } = await create({ scope });
    await query(bellhop, "delete from workflows where id = ?", [workflowId]);
    const changed = await call(bellhop, "PUT", `${PATH}/${id}`, fields({ scope }));
    expect(await dataOf(changed, 200, notificationRuleSchema)).toMatchObject({ scope });
  });

  test("name pools that exist, and keep one that has gone since", async () => {
    const { id: connectionId } = await createConnection(bellhop, { poolId: "web" });
    const { id } = await create({ on: "queue_old", poolIds: ["web"] });
    await query(bellhop, "delete from connections where id = ?", [connectionId]);
    const put = (poolIds: string[]) => call(bellhop, "PUT", `${PATH}/${id}`, fields({ on: "agent_offline", poolIds }));
    expect(await dataOf(await put(["web"]), 200, notificationRuleSchema)).toMatchObject({ poolIds: ["web"] });
    expect(await errorPathsOf(await put(["web", "none"]))).toEqual(["poolIds.1"]);
  });

  test("keep their receivers from being deleted", async () => {
    const id = await createReceiver();
    const rule = await create({ name: "Pager", receivers: [receiver, id] });
    const { detail } = await problemOf(await call(bellhop, "DELETE", `/notification-receivers/${id}`), 409, "conflict");
    expect(detail).toContain('"Pager"');
    await call(bellhop, "DELETE", `${PATH}/${rule.id}`);
    await dataOf(await call(bellhop, "DELETE", `/notification-receivers/${id}`), 200, deletedSchema);
  });

  test("never name a receiver that was deleted at the same moment", async () => {
    const write = async (receivers: string[]) => {
      const { id } = await create();
      const written = [
        call(bellhop, "POST", PATH, fields({ receivers })),
        call(bellhop, "PUT", `${PATH}/${id}`, fields({ receivers })),
      ];
      return (await Promise.all(written)).some(({ ok }) => ok);
    };
    for (let round = 0; round < 5; round += 1) {
      const id = await createReceiver();
      const remove = async () => {
        await create();
        return (await call(bellhop, "DELETE", `/notification-receivers/${id}`)).ok;
      };
      const [isNamed, isDeleted] = await Promise.all([write([receiver, id]), remove()]);
      expect([isNamed, isDeleted]).toContain(false);
    }
  });

  test("answer as the description says", async () => {
    const { id } = await create();
    expect(await undescribed(api.createNotificationRule, await call(bellhop, "POST", PATH, fields()))).toEqual([]);
    expect(await undescribed(api.createNotificationRule, await call(bellhop, "POST", PATH, {}))).toEqual([]);
    expect(await undescribed(api.listNotificationRules, await call(bellhop, "GET", PATH))).toEqual([]);
    expect(await undescribed(api.getNotificationRule, await call(bellhop, "GET", `${PATH}/${id}`))).toEqual([]);
  });

  test("have a bounded number", async () => {
    await query(bellhop, "delete from notification_rules", []);
    const row = (n: number) =>
      query(bellhop, "insert into notification_rules values (?, ?, 0, 1, 0, 0)", [`nru_${n}`, `{"name":"n${n}"}`]);
    for (let n = 1; n < NOTIFICATION_RULES_MAX; n += 1) await row(n);
    const atOnce = await Promise.all([1, 2, 3, 4].map(() => call(bellhop, "POST", PATH, fields())));
    expect(atOnce.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    await problemOf(await call(bellhop, "POST", PATH, fields()), 409, "conflict");
  });
});
