import type { Sample } from "../../../schema/contract/dry-run.ts";
import type { ExecutionTrigger } from "../../../schema/contract/execution.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { incidentEventTypeSchema } from "../../../schema/contract/workflow.ts";
import type { IncidentEventType, Trigger, TriggerType } from "../../../schema/contract/workflow.ts";
import { sampleFailure, startsAfter } from "../failed-execution.ts";
import { incidentValue } from "../incident/fields.ts";
import { startsFrom } from "../incident/match.ts";
import { ownValue } from "../own-value.ts";
import { Steps } from "../steps.ts";
import { withArticle } from "../issue-messages.ts";
import { spendOnConditions } from "./cost.ts";

const MINUTE_MS = 60_000;

/** The fields of a sample for each trigger. */
const FIELDS = {
  webhook: ["variables"],
  manual: ["variables"],
  incident: ["incident", "eventType"],
  cron: ["scheduledAt"],
  failure: ["failed"],
} as const satisfies Record<TriggerType, readonly (keyof Sample)[]>;

/** The fields of a sample that do not fit the trigger. */
export function sampleProblems(trigger: Trigger, sample: Sample): FieldError[] {
  const own: readonly string[] = FIELDS[trigger.type];
  return Object.keys(sample).flatMap((field) =>
    own.includes(field)
      ? []
      : [
          {
            path: `sample.${field}`,
            message: `${withArticle(trigger.type)} trigger has no such field: its sample takes ${own.join(", ")}`,
          },
        ],
  );
}

/** The data of such a trigger. `variables` are those of the sample with defaults filled in. */
export function sampleTrigger(trigger: Trigger, sample: Sample, variables: JsonObject, now: number): ExecutionTrigger {
  switch (trigger.type) {
    case "webhook":
      return { type: "webhook", variables };
    case "manual":
      return { type: "manual", variables, by: null };
    case "cron":
      return { type: "cron", scheduledAt: new Date(scheduledAt(sample, now)).toISOString() };
    case "incident":
      return { type: "incident", incident: sampleIncident(trigger.events[0], sample, now) };
    case "failure":
      return { type: "failure", failed: { ...sampleFailure(trigger, now), ...sample.failed } };
  }
}

/** Whether these data would start the workflow: an incident's conditions may not hold, and tags may be others. */
export function sampleStarts(trigger: Trigger, data: ExecutionTrigger, steps: Steps = new Steps()): boolean {
  if (data.type === "failure") {
    const tags = ownValue(data.failed, ["workflow", "tags"]);
    return startsAfter(trigger, Array.isArray(tags) ? tags.filter((tag) => typeof tag === "string") : []);
  }
  if (data.type !== "incident") return true;
  if (trigger.type === "incident" && trigger.conditions !== undefined) {
    spendOnConditions(steps, trigger.conditions, ({ field }) => incidentValue(data.incident, field));
  }
  const eventType = incidentEventTypeSchema.safeParse(data.incident["eventType"]).data;
  return eventType !== undefined && startsFrom(trigger, eventType, data.incident);
}

function scheduledAt({ scheduledAt }: Sample, now: number): number {
  return scheduledAt === undefined ? Math.floor(now / MINUTE_MS) * MINUTE_MS : Date.parse(scheduledAt);
}

const STATUS_AFTER = {
  "incident.created": "triggered",
  "incident.acknowledged": "acknowledged",
  "incident.resolved": "resolved",
  "incident.escalated": "triggered",
  "incident.reassigned": "triggered",
} as const satisfies Record<IncidentEventType, string>;

function sampleIncident(first: IncidentEventType | undefined, sample: Sample, now: number): JsonObject {
  const eventType = sample.eventType ?? first ?? "incident.created";
  return {
    id: "inc_sample",
    title: "A sample incident",
    description: "",
    severity: "high",
    status: STATUS_AFTER[eventType],
    service: "sample-service",
    source: "sample",
    host: "sample-host",
    teamId: "sample-team",
    assignedTo: "sample-person",
    createdAt: new Date(now).toISOString(),
    tags: {},
    ...sample.incident,
    eventType,
  };
}
