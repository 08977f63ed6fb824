import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { IncidentView } from "../../schema/contract/incident.ts";
import { alertmanagerMissing, startAlertmanager } from "../support/alertmanager.ts";
import type { Alert, Alertmanager } from "../support/alertmanager.ts";
import { integrationSchema } from "../../schema/contract/integration.ts";
import { call, dataOf, pageOf } from "../support/management-api.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import {
  createIntegration,
  eventTypes,
  executionsOf,
  incidentWorkflow,
  listIncidents,
  matched,
} from "../support/incidents.ts";

describe.skipIf(alertmanagerMissing !== null)(
  `a real Prometheus Alertmanager${alertmanagerMissing === null ? "" : ` (${alertmanagerMissing})`}`,
  () => {
    let bellhop: Bellhop;
    let alertmanager: Alertmanager;
    beforeAll(async () => {
      bellhop = await startBellhop();
      const webhook = await createIntegration(bellhop, "alertmanager");
      const pagerduty = await createIntegration(bellhop, "pagerduty");
      alertmanager = await startAlertmanager({ webhookUrl: webhook.url, pagerdutyUrl: pagerduty.url });
    });
    afterAll(async () => {
      await alertmanager?.stop();
      await bellhop?.stop();
    });

    const alertOf = (alertname: string, host: string, more: Record<string, string> = {}): Alert => ({
      labels: { alertname, severity: "page", instance: `${host}:9100`, service: "shop", ...more },
      annotations: {
        summary: `${alertname} on ${host}`,
        description: "It is full.",
        runbook_url: "https://runbooks.example/disk",
      },
      generatorURL: "http://prometheus.example/graph?g0.expr=up",
      startsAt: new Date(Date.now() - 60_000).toISOString(),
    });
    /** Waits until `count` incidents of an alert have that status, and returns all of its incidents, oldest first. */
    const incidentsOf = (alertname: string, count: number, status: IncidentView["status"]) =>
      eventually(`${count} incidents of ${alertname} to be ${status}`, async () => {
        const all = (await listIncidents(bellhop, "limit=200")).filter(({ title }) => title.includes(alertname));
        return all.filter((incident) => incident.status === status).length === count ? all.toReversed() : null;
      });
    /** Waits until Alertmanager has repeated its notifications twice. */
    const repeated = async () => {
      const sent = () => alertmanager.counter("alertmanager_notifications_total");
      const before = await sent();
      await eventually("Alertmanager to repeat itself", async () => (await sent()) >= before + 2);
    };

    test("has its groups split into incidents, each of which starts its execution once", async () => {
      const workflowId = await incidentWorkflow(bellhop, {
        events: ["incident.created", "incident.resolved"],
        conditions: { logic: "all", conditions: [{ field: "tags.alertname", operator: "equals", value: "DiskFull" }] },
      });
      const alerts = ["web-1", "web-2", "web-3"].map((host) => alertOf("DiskFull", host));
      await alertmanager.fire(...alerts);
      const fired = await incidentsOf("DiskFull", 3, "triggered");
      expect(fired.map(({ host }) => host).sort()).toEqual(["web-1", "web-2", "web-3"]);
      expect(fired[0]).toMatchObject({
        severity: "critical",
        service: "shop",
        source: "a source",
        description: "It is full.",
        tags: {
          alertname: "DiskFull",
          severity: "page",
          runbook_url: "https://runbooks.example/disk",
          generatorURL: "http://prometheus.example/graph?g0.expr=up",
        },
      });
      await repeated();
      await matched(bellhop);
      expect(await executionsOf(bellhop, workflowId)).toHaveLength(3);

      await alertmanager.resolve(...alerts.slice(0, 2));
      const after = await incidentsOf("DiskFull", 2, "resolved");
      expect(after.map(({ host, status }) => `${host} ${status}`).sort()).toEqual([
        "web-1 resolved",
        "web-2 resolved",
        "web-3 triggered",
      ]);
      await repeated();
      await matched(bellhop);
      expect(await executionsOf(bellhop, workflowId)).toHaveLength(5);
      for (const { id, status } of after) {
        const ended = status === "resolved" ? ["incident.resolved"] : [];
        expect(await eventTypes(bellhop, id)).toEqual(["incident.created", ...ended]);
      }
    });

    test("that fires again opens a new incident", async () => {
      const first = alertOf("Flapping", "web-1");
      await alertmanager.fire(first);
      await incidentsOf("Flapping", 1, "triggered");
      await alertmanager.resolve(first);
      await incidentsOf("Flapping", 1, "resolved");
      await alertmanager.fire({ ...first, startsAt: new Date().toISOString() });
      const [old, next] = await incidentsOf("Flapping", 1, "triggered");
      expect(old?.status).toBe("resolved");
      expect(next?.dedupKey).toBe(old?.dedupKey ?? "");
    });

    test("has its integration's name as source and its own words for severities", async () => {
      const { items } = await pageOf(await call(bellhop, "GET", "/integrations"), integrationSchema);
      const id = items.find(({ kind }) => kind === "alertmanager")?.id;
      const changes = { name: "Prometheus of eu-1", severities: { page: "low" } };
      await dataOf(await call(bellhop, "PATCH", `/integrations/${id}`, changes), 200, integrationSchema);
      const alert = alertOf("Renamed", "web-1");
      await alertmanager.fire(alert);
      const [incident] = await incidentsOf("Renamed", 1, "triggered");
      expect(incident).toMatchObject({ source: "Prometheus of eu-1", severity: "low" });
      await alertmanager.resolve(alert);
      await incidentsOf("Renamed", 1, "resolved");
    });

    test("can send PagerDuty's format", async () => {
      const alert = alertOf("Paged", "web-1", { channel: "pagerduty" });
      await alertmanager.fire(alert);
      const [incident] = await incidentsOf("Paged", 1, "triggered");
      expect(incident).toMatchObject({ source: "a source", severity: "critical" });
      await alertmanager.resolve(alert);
      await incidentsOf("Paged", 1, "resolved");
      expect(await eventTypes(bellhop, incident?.id ?? "")).toEqual(["incident.created", "incident.resolved"]);
    });

    test("delivers again after a delivery failed without the database", async () => {
      const failed = () => alertmanager.counter("alertmanager_notification_requests_failed_total");
      const before = await failed();
      await bellhop.stopLibsql();
      await alertmanager.fire(alertOf("WhileAway", "web-1"));
      await eventually("a delivery to fail", async () => (await failed()) > before);
      await bellhop.startLibsql();
      const [incident, ...others] = await incidentsOf("WhileAway", 1, "triggered");
      expect(others).toEqual([]);
      expect(await eventTypes(bellhop, incident?.id ?? "")).toEqual(["incident.created"]);
    });
  },
);
