import type { ExecutionSummary } from "../../../schema/contract/execution.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";
import { actorLabel } from "../../ui/actor-label.ts";
import { executions as text } from "../../strings/en/executions.ts";

export interface StartedBy {
  text: string;
  /** A link to the cause. */
  href: string | null;
  /** A time that belongs to the text. */
  at: string | null;
}

/** The cause of an execution as text. */
export function startedBy({ trigger }: Pick<ExecutionSummary, "trigger">): StartedBy {
  switch (trigger.type) {
    case "webhook":
      return { text: text.triggers.webhook, href: null, at: null };
    case "manual":
      return {
        text: trigger.by === null ? text.triggers.manual : text.by(actorLabel(trigger.by)),
        href: null,
        at: null,
      };
    case "cron":
      return { text: text.triggers.cron, href: null, at: trigger.scheduledAt };
    case "incident": {
      const title = textOf(trigger.incident, "title");
      const id = textOf(trigger.incident, "id");
      return {
        text: title === null ? text.triggers.incident : text.incident(title),
        href: id === null ? null : `/incidents/${encodeURIComponent(id)}`,
        at: null,
      };
    }
    case "failure": {
      const name = textOf(objectOf(trigger.failed["workflow"]), "name");
      const id = textOf(trigger.failed, "executionId");
      return {
        text: name === null ? text.triggers.failure : text.failure(name),
        href: id === null ? null : `/executions/${encodeURIComponent(id)}`,
        at: null,
      };
    }
    case "workflow":
      return { text: text.triggers.workflow, href: `/executions/${trigger.parentExecutionId}`, at: null };
  }
}

/** The trigger's data. */
export function triggerData({ trigger }: Pick<ExecutionSummary, "trigger">): JsonObject {
  switch (trigger.type) {
    case "webhook":
    case "manual":
    case "workflow":
      return trigger.variables;
    case "incident":
      return trigger.incident;
    case "failure":
      return trigger.failed;
    case "cron":
      return { scheduledAt: trigger.scheduledAt };
  }
}

function textOf(object: JsonObject, name: string): string | null {
  const value = object[name];
  return typeof value === "string" && value !== "" ? value : null;
}
