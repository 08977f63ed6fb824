import { callPage } from "../../api/client.ts";
import { readProblem, unreachable } from "../../api/problem.ts";
import type { DeliveryResult, IntegrationKind } from "../../../schema/contract/integration.ts";
import { integrations } from "../../strings/en/integrations.ts";
import { TEST_TAG, sampleEvent } from "./sample-event.ts";

const text = integrations.testEvent;

export interface Delivered {
  outcome: DeliveryResult["outcome"];
  incidentId: string | null;
  detail: string | null;
}

const TIMEOUT_MS = 45_000;

interface Delivery {
  kind: IntegrationKind;
  key: string;
  action: "trigger" | "resolve";
  testId: string;
  at: string;
}

/**
 * Sends a test event as the kind's tools send theirs: with the key in the URL and without the session. The API's `call`
 * does not fit, because these URLs use the formats of the tools.
 */
export async function deliver({ kind, key, action, testId, at }: Delivery): Promise<Delivered> {
  const { contentType, body } = sampleEvent(kind, action, testId, at);
  let response: Response;
  try {
    response = await fetch(`/api/v1/integrations/${kind}/${encodeURIComponent(key)}`, {
      method: "POST",
      headers: { "Content-Type": contentType },
      credentials: "omit",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      body: JSON.stringify(body),
    });
  } catch (error) {
    throw unreachable(error);
  }
  if (!response.ok) throw await readProblem(response);
  if (kind === "pagerduty") return foundByTag(testId, action);
  const answer: { data: { results: DeliveryResult[] } } = await response.json();
  const [result] = answer.data.results;
  if (result === undefined) throw new Error(text.noEvent);
  return { outcome: result.outcome, incidentId: result.incidentId, detail: result.detail ?? null };
}

/** PagerDuty's format of an answer has no incident id, so the incident is found by its tag. */
async function foundByTag(testId: string, action: Delivery["action"]): Promise<Delivered> {
  const page = await callPage("/api/v1/automation/incidents", { query: { limit: 50 } }, null);
  const incident = page.items.find(({ tags }) => tags[TEST_TAG] === testId);
  return {
    // The incident's status decides: an answer of 202 says only that the event was accepted.
    outcome: action === "trigger" ? "created" : incident?.status === "resolved" ? "resolved" : "unchanged",
    incidentId: incident?.id ?? null,
    detail: incident === undefined ? text.notFound : null,
  };
}
