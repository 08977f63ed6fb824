import type { IntegrationKind } from "../../../schema/contract/integration.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { integrations } from "../../strings/en/integrations.ts";

/** A test event in the format of the kind's tools. */
export interface SampleEvent {
  contentType: string;
  body: JsonObject;
}

const { title: TITLE, description: DESCRIPTION } = integrations.testEvent;

/** The tag that identifies a test's incident. Its value is the test's id. */
export const TEST_TAG = "bellhop_test";

/**
 * A harmless event of the lowest severity, or the event that resolves it. `testId` identifies the test's incident. `at`
 * is the start of the test.
 */
export function sampleEvent(
  kind: IntegrationKind,
  action: "trigger" | "resolve",
  testId: string,
  at: string,
): SampleEvent {
  const isOver = action === "resolve";
  switch (kind) {
    case "alertmanager":
      return { contentType: "application/json", body: alertmanagerGroup(isOver, testId, at) };
    case "pagerduty":
      return {
        contentType: "application/json",
        body: isOver
          ? { routing_key: "any", event_action: "resolve", dedup_key: testId }
          : {
              routing_key: "any",
              event_action: "trigger",
              dedup_key: testId,
              payload: {
                summary: TITLE,
                source: "bellhop-console",
                severity: "info",
                component: "bellhop-test",
                custom_details: { description: DESCRIPTION, [TEST_TAG]: testId },
              },
            },
      };
    case "cloudevents":
      return {
        contentType: "application/cloudevents+json",
        body: {
          specversion: "1.0",
          id: `${testId}-${action}`,
          source: "/bellhop/console",
          subject: testId,
          type: isOver ? "bellhop.test.resolved" : "bellhop.test.fired",
          time: at,
          datacontenttype: "application/json",
          data: {
            title: TITLE,
            description: DESCRIPTION,
            severity: "low",
            service: "bellhop-test",
            tags: { [TEST_TAG]: testId },
          },
        },
      };
  }
}

function alertmanagerGroup(isOver: boolean, testId: string, at: string): JsonObject {
  const status = isOver ? "resolved" : "firing";
  const labels = { alertname: "BellhopTest", severity: "low", service: "bellhop-test", [TEST_TAG]: testId };
  return {
    version: "4",
    groupKey: `{}:{alertname="BellhopTest"}`,
    receiver: "bellhop",
    status,
    groupLabels: { alertname: "BellhopTest" },
    commonLabels: labels,
    alerts: [
      {
        status,
        labels,
        annotations: { summary: TITLE, description: DESCRIPTION },
        startsAt: at,
        endsAt: isOver ? new Date(Date.parse(at) + 1_000).toISOString() : "0001-01-01T00:00:00Z",
        generatorURL: "",
        fingerprint: testId,
      },
    ],
  };
}
