import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { integrationKindSchema, integrationSchema } from "../../schema/contract/integration.ts";
import { mintIntegrationKey } from "../../worker/services/keys.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { aGroup, anAlert, createIntegration, deliver, listIncidents, outcomesOf } from "../support/incidents.ts";
import { call, dataOf, errorPathsOf, pageOf, problemOf } from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

describe("an integration", () => {
  test("is created with a key that is shown once, and stored as its prefix and a hash", async () => {
    const made = await createIntegration(bellhop, "alertmanager", "the cluster");
    expect(made.integration).toMatchObject({ name: "the cluster", kind: "alertmanager" });
    expect(made.key).toMatch(/^itg[A-Za-z0-9]{10}_[A-Za-z0-9]{43}$/u);
    expect(made.url).toBe(`${bellhop.url}/api/v1/integrations/alertmanager/${made.key}`);
    const { items } = await pageOf(await call(bellhop, "GET", "/integrations"), integrationSchema);
    expect(items).toContainEqual(made.integration);
    const secret = made.key.split("_")[1] ?? "";
    for (const table of ["integrations", "audit_log"]) {
      expect(JSON.stringify(await query(bellhop, `select * from ${table}`))).not.toContain(secret);
    }
    const audit = await query(bellhop, "select verb from audit_log where subject_id = ?", [made.integration.id]);
    expect(audit.map((row) => row["verb"])).toEqual(["create"]);
  });

  test("without a name or of an unknown kind is refused", async () => {
    const post = (body: object) => call(bellhop, "POST", "/integrations", body);
    expect(await errorPathsOf(await post({ name: " ", kind: "nagios", key: "x" }))).toEqual(["key", "kind", "name"]);
    expect(await errorPathsOf(await post({}))).toEqual(["kind", "name"]);
  });

  test("gives the incidents that it opens its name as source, and its own words their severities", async () => {
    const made = await createIntegration(bellhop, "alertmanager", "the first name");
    const path = `/integrations/${made.integration.id}`;
    const opened = async () => {
      const labels = { alertname: "Named", severity: "page", nonce: crypto.randomUUID() };
      expect(await outcomesOf(await deliver(made, aGroup(anAlert({ labels, fingerprint: labels.nonce }))))).toEqual([
        "created",
      ]);
      const [newest] = await listIncidents(bellhop, "limit=1");
      return newest;
    };
    expect(await opened()).toMatchObject({ source: "the first name", severity: "critical" });
    const changes = { name: "the second name", severities: { PAGE: "low" } } as const;
    const changed = await dataOf(await call(bellhop, "PATCH", path, changes), 200, integrationSchema);
    expect(changed).toEqual({ ...made.integration, ...changes });
    expect(await opened()).toMatchObject({ source: "the second name", severity: "low" });
    await call(bellhop, "PATCH", path, { name: "the third name" });
    expect(await opened()).toMatchObject({ source: "the third name", severity: "low" });
    const audit = await query(bellhop, "select verb from audit_log where subject_id = ?", [made.integration.id]);
    expect(audit.map((row) => row["verb"])).toEqual(["create", "update", "update"]);
  });

  test.each<[changes: object, path: string]>([
    [{ name: "" }, "name"],
    [{ severities: { page: "urgent" } }, "severities.page"],
    [{ severities: ["page"] }, "severities"],
    [{ severities: { "": "low" } }, "severities."],
    [{ severities: { " - ": "low" } }, "severities. - "],
    [{ severities: { "SEV-1": "low", page: "high", sev1: "high" } }, "severities.sev1"],
    [{ severities: { page: "low", " Page ": "low" } }, "severities. Page "],
    [{ severities: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`w${index}`, "low"])) }, "severities"],
    [{ kind: "pagerduty" }, "kind"],
  ])("cannot be changed with %j", async (changes, path) => {
    const { integration } = await createIntegration(bellhop, "alertmanager");
    expect(await errorPathsOf(await call(bellhop, "PATCH", `/integrations/${integration.id}`, changes))).toEqual([
      path,
    ]);
  });

  test("that does not exist cannot be changed", async () => {
    await problemOf(await call(bellhop, "PATCH", "/integrations/itg_none", { name: "x" }), 404, "not_found");
  });

  test("that was deleted accepts no further delivery", async () => {
    const made = await createIntegration(bellhop, "alertmanager");
    expect(await outcomesOf(await deliver(made, aGroup(anAlert())))).toEqual(["created"]);
    expect((await call(bellhop, "DELETE", `/integrations/${made.integration.id}`)).status).toBe(200);
    await problemOf(await deliver(made, aGroup(anAlert())), 404, "not_found");
    await problemOf(await call(bellhop, "DELETE", `/integrations/${made.integration.id}`), 404, "not_found");
    const notes = await query(bellhop, "select * from integration_deliveries where integration_id = ?", [
      made.integration.id,
    ]);
    expect(notes).toEqual([]);
    const audit = await query(bellhop, "select verb from audit_log where subject_id = ?", [made.integration.id]);
    expect(audit.map((row) => row["verb"])).toEqual(["create", "delete"]);
  });

  test("is listed page by page, newest first", async () => {
    await createIntegration(bellhop, "pagerduty");
    await createIntegration(bellhop, "cloudevents");
    const first = await pageOf(await call(bellhop, "GET", "/integrations?limit=1"), integrationSchema);
    const second = await pageOf(
      await call(bellhop, "GET", `/integrations?limit=1&cursor=${first.nextCursor}`),
      integrationSchema,
    );
    expect([...first.items, ...second.items].map(({ kind }) => kind)).toEqual(["cloudevents", "pagerduty"]);
  });
});

describe("an integration's address with an invalid key", () => {
  test.each(integrationKindSchema.options)("of %s is a 404 that does not show the key", async (kind) => {
    const other = await createIntegration(bellhop, kind === "pagerduty" ? "cloudevents" : "pagerduty");
    const keys = [
      "x",
      other.key,
      mintIntegrationKey("another deployment's secret").key,
      // Signed like this deployment's keys, but of no integration.
      mintIntegrationKey(bellhop.serverSecret).key,
      `${other.key.slice(0, -1)}${other.key.endsWith("a") ? "b" : "a"}`,
    ];
    for (const key of keys) {
      const url = `${bellhop.url}/api/v1/integrations/${kind}/${key}`;
      const problem = await problemOf(await deliver({ url }, {}), 404, "not_found");
      expect(problem.instance).toBe(`/api/v1/integrations/${kind}/{key}`);
      expect(JSON.stringify(problem)).not.toContain(key === "x" ? '"x"' : key);
    }
  });

  test("is a 404 for another kind, or for another integration's prefix", async () => {
    const [one, two] = [
      await createIntegration(bellhop, "alertmanager"),
      await createIntegration(bellhop, "alertmanager"),
    ];
    const mixed = `${one.key.split("_")[0]}_${two.key.split("_")[1]}`;
    const url = `${bellhop.url}/api/v1/integrations/alertmanager/${mixed}`;
    await problemOf(await deliver({ url }, aGroup(anAlert())), 404, "not_found");
    const nagios = `${bellhop.url}/api/v1/integrations/nagios/${one.key}`;
    const problem = await problemOf(await deliver({ url: nagios }, {}), 404, "not_found");
    expect(problem.instance).toBe("/api/v1/integrations/nagios/{key}");
  });

  test("is a 404 when the key's tag is right and its secret is wrong", async () => {
    const made = await createIntegration(bellhop, "alertmanager");
    await query(bellhop, "update integrations set key_hash = ? where id = ?", ["0".repeat(64), made.integration.id]);
    await problemOf(await deliver(made, aGroup(anAlert())), 404, "not_found");
  });
});

describe("a delivery", () => {
  test("accepts only POST", async () => {
    const { url } = await createIntegration(bellhop, "alertmanager");
    const response = await fetch(url);
    expect(response.headers.get("Allow")).toBe("POST");
    await problemOf(response, 405, "method_not_allowed");
  });

  test("that is too large, too deep, not JSON or of another type gets 413, 400 or 415", async () => {
    const made = await createIntegration(bellhop, "alertmanager");
    const large = JSON.stringify(aGroup(anAlert({ annotations: { summary: "x".repeat(4_200_000) } })));
    await problemOf(await deliver(made, large), 413, "payload_too_large");
    await problemOf(await deliver(made, `${"[".repeat(65)}${"]".repeat(65)}`), 400, "invalid_request");
    await problemOf(await deliver(made, "{"), 400, "invalid_request");
    await problemOf(await deliver(made, "a=b", { "Content-Type": "text/plain" }), 415, "unsupported_media_type");
  });

  test("is counted by what its alerts change, and by those that cannot be read", async () => {
    const made = await createIntegration(bellhop, "alertmanager");
    const read = async () =>
      new Map((await query(bellhop, "select name, value from totals")).map(({ name, value }) => [name, Number(value)]));
    const before = await read();
    const alert = anAlert();
    await deliver(made, aGroup(alert, anAlert(), "no alert"));
    await deliver(made, aGroup(alert));
    await deliver(made, aGroup({ ...alert, status: "resolved" }));
    await problemOf(await deliver(made, aGroup("no alert")), 400, "invalid_request");
    const after = await read();
    const more = (outcome: string) => (after.get(`alerts:${outcome}`) ?? 0) - (before.get(`alerts:${outcome}`) ?? 0);
    expect(["created", "updated", "resolved", "rejected"].map(more)).toEqual([2, 0, 1, 2]);
  });

  test("above an integration's rate limit gets 429, and other integrations are not affected", async () => {
    const [wild, calm] = [
      await createIntegration(bellhop, "alertmanager"),
      await createIntegration(bellhop, "alertmanager"),
    ];
    const statuses: number[] = [];
    for (let sent = 0; sent < 660; sent += 60) {
      const answers = await Promise.all(Array.from({ length: 60 }, () => deliver(wild, aGroup())));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(600);
    expect(statuses.filter((status) => status === 429)).toHaveLength(60);
    const problem = await deliver(wild, aGroup());
    expect(Number(problem.headers.get("Retry-After"))).toBeGreaterThan(0);
    await problemOf(problem, 429, "rate_limit_exceeded");
    expect((await deliver(calm, aGroup())).status).toBe(200);
  });
});

test("the tick deletes delivery records after 30 days without news, and no younger ones", async () => {
  const made = await createIntegration(bellhop, "alertmanager");
  await deliver(made, aGroup(anAlert(), anAlert()));
  const day = 24 * 60 * 60_000;
  const ages = [31, 29];
  const notes = await query(bellhop, "select delivery_key from integration_deliveries where integration_id = ?", [
    made.integration.id,
  ]);
  for (const [index, note] of notes.entries()) {
    const at = Date.now() - (ages[index] ?? 0) * day;
    await query(bellhop, "update integration_deliveries set at = ? where delivery_key = ?", [
      at,
      String(note["delivery_key"]),
    ]);
  }
  await bellhop.worker.tick();
  const kept = await query(bellhop, "select delivery_key from integration_deliveries where integration_id = ?", [
    made.integration.id,
  ]);
  expect(kept).toEqual(notes.slice(1));
});
