import type { ConditionGroup } from "../../schema/contract/condition.ts";
import type { Sample } from "../../schema/contract/dry-run.ts";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { objectOf } from "../../schema/contract/json-object.ts";
import type { WorkflowInput } from "../../schema/contract/management.ts";
import { sampleFailure } from "../../worker/domain/failed-execution.ts";
import { ownOf } from "../graph/own-of.ts";
import { dryRun } from "../strings/en/dry-run.ts";
import { nextRuns } from "./cron-next.ts";
import { sampleVariables } from "./sample-variables.ts";
import { tagsKnown } from "./trigger-completions.ts";

type Draft = Pick<WorkflowInput, "trigger" | "definition">;

/**
 * Sample data to try a workflow with: the trigger's data of the last execution, when that trigger had the same type and
 * any data; otherwise the sample request of a webhook's sender, declared defaults, variables that templates name, and values that match the conditions.
 */
export function sampleOf(
  draft: Draft,
  last: ExecutionTrigger | null,
  now: number,
  preset: JsonObject | null = null,
): Sample {
  const { trigger } = draft;
  switch (trigger.type) {
    case "webhook": {
      // The data of the other payload would not fit.
      const fits = trigger.payload !== "body" || "body" in lastVariables(last);
      const isPreset = trigger.payload === "body" && preset !== null && !("body" in lastVariables(last));
      return { variables: isPreset ? preset : lastOrGuessed(draft, fits ? last : null) };
    }
    case "manual": {
      if (trigger.inputs === undefined) return { variables: lastOrGuessed(draft, last) };
      const given = lastVariables(last);
      return {
        variables: Object.fromEntries(
          Object.entries(trigger.inputs).map(([name, input]): [string, JsonValue] => [
            name,
            ownOf(given, name) ?? input.default ?? SAMPLES[input.type],
          ]),
        ),
      };
    }
    case "cron": {
      const [next] = nextRuns(trigger, now, 1);
      return { scheduledAt: new Date(next ?? now).toISOString() };
    }
    case "failure":
      return { failed: last?.type === "failure" ? last.failed : sampleFailure(trigger, now) };
    case "incident": {
      const eventType = trigger.events[0] ?? "incident.created";
      if (last?.type === "incident") {
        const { eventType: _event, ...incident } = last.incident;
        return { incident, eventType };
      }
      return { incident: sampleIncident(draft, trigger.conditions), eventType };
    }
  }
}

function lastOrGuessed({ definition }: Draft, last: ExecutionTrigger | null): JsonObject {
  const given = lastVariables(last);
  return Object.keys(given).length === 0 ? sampleVariables(definition) : given;
}

function lastVariables(last: ExecutionTrigger | null): JsonObject {
  return last !== null && "variables" in last ? last.variables : {};
}

const SAMPLES = { string: "sample", number: 1, boolean: true, object: {}, array: [] } as const;

function sampleIncident(draft: Draft, conditions: ConditionGroup | undefined): JsonObject {
  const tags = Object.fromEntries([...tagsKnown(draft, {})].map((name): [string, JsonValue] => [name, "sample"]));
  const incident: JsonObject = {
    title: dryRun.sample.incidentTitle,
    severity: "high",
    service: "sample-service",
    host: "sample-host",
    source: "sample",
    tags,
  };
  return conditions === undefined ? incident : fulfil(incident, conditions);
}

/** The incident with values that match plain comparisons. Other operators are left to the person who tries. */
function fulfil(incident: JsonObject, { logic, conditions }: ConditionGroup): JsonObject {
  return conditions.slice(0, logic === "all" ? undefined : 1).reduce((filled, member) => {
    if ("conditions" in member) return fulfil(filled, member);
    const value = exampleFor(member.operator, member.value);
    if (value === undefined || member.field === "eventType") return filled;
    if (!member.field.startsWith("tags.")) return { ...filled, [member.field]: value };
    return { ...filled, tags: { ...objectOf(filled["tags"]), [member.field.slice("tags.".length)]: value } };
  }, incident);
}

function exampleFor(operator: string, value: JsonValue | undefined): JsonValue | undefined {
  if (operator === "in") return Array.isArray(value) ? value[0] : undefined;
  const isPlain =
    operator === "equals" || operator === "contains" || operator === "startsWith" || operator === "endsWith";
  return isPlain && (typeof value === "string" || typeof value === "number") ? value : undefined;
}
