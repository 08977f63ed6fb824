import { describe, expect, test } from "bun:test";
import type { AlertmanagerAlert } from "../../schema/contract/integration.ts";
import { alertmanagerSignal } from "../../worker/domain/incident/alertmanager.ts";

const ALERT: AlertmanagerAlert = {
  status: "firing",
  labels: { alertname: "DiskFull", severity: "page", instance: "web-1:9100", job: "node", team: "ops", "a.b": "c" },
  annotations: { summary: "The disk is full", description: "sda1 at 99 %" },
  startsAt: "2026-11-21T03:00:00.123456789+01:00",
  fingerprint: "c4a3",
};
const alert = (changes: Partial<AlertmanagerAlert>) => {
  const signal = alertmanagerSignal({ ...ALERT, ...changes });
  if (signal.action !== "trigger") throw new Error("not a trigger");
  return signal.incident;
};

describe("an alert of Alertmanager", () => {
  test("is keyed by its fingerprint, and its occurrence by when it began", () => {
    expect(alertmanagerSignal(ALERT)).toEqual({
      dedupKey: "c4a3",
      occurrence: "c4a3 2026-11-21T02:00:00.123Z",
      messageId: null,
      action: "trigger",
      incident: {
        title: "The disk is full",
        description: "sda1 at 99 %",
        severity: "critical",
        service: "node",
        source: null,
        host: "web-1",
        teamId: "ops",
        assignedTo: null,
        tags: ALERT.labels,
      },
    });
  });

  test("keeps its other annotations and the address of its rule as tags; a label with the same name wins", () => {
    const annotations = { summary: "Full", message: "m", runbook_url: "https://wiki.example.com/disk", job: "other" };
    const { tags } = alert({ annotations, generatorURL: "https://prometheus.example.com/graph" });
    expect(tags).toEqual({
      ...ALERT.labels,
      runbook_url: "https://wiki.example.com/disk",
      generatorURL: "https://prometheus.example.com/graph",
    });
  });

  test("is described by its description or its message, and keeps the other one as a tag", () => {
    const described = (annotations: Record<string, string>) => {
      const { description, tags } = alert({ labels: {}, annotations });
      return { description, tags };
    };
    expect(described({ message: "m" })).toEqual({ description: "m", tags: {} });
    expect(described({ description: " ", message: "m" })).toEqual({ description: "m", tags: {} });
    expect(described({ description: "d", message: "m" })).toEqual({ description: "d", tags: { message: "m" } });
  });

  test("has no address that is too long for a tag: the beginning of it would lead elsewhere", () => {
    const long = "x".repeat(2_000);
    const { tags } = alert({
      labels: {},
      annotations: { note: `${long}y` },
      generatorURL: `https://a.example/${long}`,
    });
    expect(tags).toEqual({ note: `${long.slice(1)}…` });
  });

  test("that is resolved resolves the same occurrence", () => {
    const { dedupKey, occurrence } = alertmanagerSignal(ALERT);
    expect(alertmanagerSignal({ ...ALERT, status: "resolved" })).toEqual({
      dedupKey,
      occurrence,
      messageId: null,
      action: "resolve",
    });
  });

  test("needs no annotations and hardly any labels", () => {
    expect(alert({ annotations: undefined })).toMatchObject({ title: "DiskFull", description: null });
    expect(alert({ annotations: { summary: " " }, labels: {} })).toEqual({
      title: "Alert c4a3",
      description: null,
      severity: "medium",
      service: null,
      source: null,
      host: null,
      teamId: null,
      assignedTo: null,
      tags: {},
    });
  });

  test.each([
    [{ instance: "web-1:9100" }, "web-1"],
    [{ instance: "10.0.0.5:9100" }, "10.0.0.5"],
    [{ instance: "[::1]:9100" }, "::1"],
    [{ instance: "web-1" }, "web-1"],
    [{ instance: "https://web-1/health" }, "https://web-1/health"],
    [{ instance: "gateway:9100", host: "web-1" }, "web-1"],
    [{ instance: "fe80::1" }, "fe80::1"],
  ])("with labels %j is on host %s", (labels, host) => {
    expect(alert({ labels: { ...labels } }).host).toBe(host);
  });

  test("with too long texts has them cut, never inside a character", () => {
    const cut = alert({
      annotations: { summary: "😀".repeat(300), description: "d".repeat(70_000) },
      labels: { ["k".repeat(200)]: "dropped", long: "v".repeat(3_000) },
    });
    expect(cut.title).toBe(`${"😀".repeat(249)}…`);
    expect(cut.description).toHaveLength(65_536);
    expect(Object.keys(cut.tags)).toEqual(["long"]);
    expect(cut.tags["long"]).toHaveLength(2_000);
  });
});
