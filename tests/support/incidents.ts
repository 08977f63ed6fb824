import { executionSummarySchema } from "../../schema/contract/execution.ts";
import type { ExecutionSummary } from "../../schema/contract/execution.ts";
import { incidentDetailSchema, incidentSchema } from "../../schema/contract/incident.ts";
import type { IncidentDetail, IncidentView } from "../../schema/contract/incident.ts";
import { createdIntegrationSchema, deliveryAnswerSchema } from "../../schema/contract/integration.ts";
import type { DeliveryResult, IntegrationKind, IntegrationView } from "../../schema/contract/integration.ts";
import type { Service } from "./bellhop.ts";
import { eventually } from "./eventually.ts";
import { call, createWorkflow, dataOf, pageOf, verb } from "./management-api.ts";
import { query } from "./database.ts";

/** Helpers for incidents and integrations. */
export async function createIncident(bellhop: Service, body: object = {}): Promise<IncidentView> {
  const response = await call(bellhop, "POST", "/incidents", { title: "Disk full", ...body });
  return dataOf(response, 201, incidentSchema);
}

export async function act(bellhop: Service, id: string, verb: string, body?: object): Promise<IncidentView> {
  return dataOf(await call(bellhop, "POST", `/incidents/${id}/${verb}`, body), 200, incidentSchema);
}

export async function getIncident(bellhop: Service, id: string): Promise<IncidentDetail> {
  return dataOf(await call(bellhop, "GET", `/incidents/${id}`), 200, incidentDetailSchema);
}

export async function listIncidents(bellhop: Service, search = ""): Promise<IncidentView[]> {
  return (await pageOf(await call(bellhop, "GET", `/incidents?${search}`), incidentSchema)).items;
}

/** The types of an incident's events, oldest first. */
export async function eventTypes(bellhop: Service, id: string): Promise<string[]> {
  return (await getIncident(bellhop, id)).events.map(({ type }) => type);
}

/** Resolves when every event has been matched with workflows, without the help of a tick. */
export async function matched(bellhop: Service): Promise<void> {
  await eventually("every event to be matched", async () => {
    return (await query(bellhop, "select id from incident_events where matched_at is null")).length === 0;
  });
}

/** A published, active workflow that incidents' events start, and that runs for an hour. */
export async function incidentWorkflow(bellhop: Service, trigger: object = {}): Promise<string> {
  const { id } = await createWorkflow(bellhop, {
    trigger: { type: "incident", events: ["incident.created"], ...trigger },
  });
  await verb(bellhop, id, "publish");
  await verb(bellhop, id, "activate");
  return id;
}

/** The executions of a workflow, oldest first. */
export async function executionsOf(bellhop: Service, workflowId: string): Promise<ExecutionSummary[]> {
  const page = await pageOf(await call(bellhop, "GET", `/executions?workflowId=${workflowId}`), executionSummarySchema);
  return page.items.toReversed();
}

export interface Integration {
  integration: IntegrationView;
  key: string;
  url: string;
}

export async function createIntegration(
  bellhop: Service,
  kind: IntegrationKind,
  name = "a source",
): Promise<Integration> {
  return dataOf(await call(bellhop, "POST", "/integrations", { name, kind }), 201, createdIntegrationSchema);
}

export function deliver(
  { url }: Pick<Integration, "url">,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** The result for each alert or event of an accepted delivery. */
export async function resultsOf(response: Response): Promise<DeliveryResult[]> {
  return (await dataOf(response, 200, deliveryAnswerSchema)).results;
}

export async function outcomesOf(response: Response): Promise<string[]> {
  return (await resultsOf(response)).map(({ outcome }) => outcome);
}

let alerts = 0;

/** An alert in the format of Alertmanager's webhook, with a new fingerprint. */
export function anAlert(changes: Record<string, unknown> = {}) {
  alerts += 1;
  return {
    status: "firing",
    labels: { alertname: "DiskFull", severity: "critical", instance: "web-1:9100", service: "shop" },
    annotations: { summary: "The disk is full", description: "sda1 at 99 %" },
    startsAt: "2026-11-21T03:00:00Z",
    endsAt: "0001-01-01T00:00:00Z",
    generatorURL: "http://prometheus/graph",
    fingerprint: `f${alerts}`,
    ...changes,
  };
}

export function aGroup(...alerts: unknown[]) {
  return { version: "4", groupKey: "{}", status: "firing", receiver: "bellhop", groupLabels: {}, alerts };
}
