import type { CloudEvent, CloudEventIncident } from "../../../schema/contract/integration.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { severityBy } from "./severity.ts";
import type { SeverityOf } from "./severity.ts";
import type { Signal } from "./signal.ts";
import { firstText, toDescription, toTags, toTitle } from "./text.ts";

export type SignalOrProblems = { ok: true; signal: Signal } | { ok: false; errors: FieldError[] };

/** Words for actions, in `data.status` or at the end of a type such as `com.example.alert.resolved`. */
const ACTION_WORDS: ReadonlyMap<string, Signal["action"]> = new Map([
  ...["resolved", "resolve", "closed", "recovered", "ok"].map((word) => [word, "resolve"] as const),
  ...["acknowledged", "acknowledge", "acked"].map((word) => [word, "acknowledge"] as const),
  ...["triggered", "trigger", "firing", "created", "opened", "open"].map((word) => [word, "trigger"] as const),
]);

/**
 * One CloudEvent. `data` may hold the incident's fields, when it is an object. The last word of `type` decides the
 * action, else `data.status`, else the action is a new incident. The key is `data.dedupKey`, else source and subject,
 * else the event's id. Source and id name the message (CloudEvents 1.0, "id"), which is applied once.
 */
export function cloudEventSignal(
  event: CloudEvent,
  data: CloudEventIncident,
  severityOf: SeverityOf = severityBy(),
): SignalOrProblems {
  const action = ACTION_WORDS.get(lastWord(event.type)) ?? ACTION_WORDS.get(lastWord(data.status ?? "")) ?? "trigger";
  const subject = event.subject ?? null;
  const given = data.dedupKey ?? (subject === null ? null : `${event.source} ${subject}`);
  const dedupKey = given ?? (action === "trigger" ? `${event.source} ${event.id}` : null);
  if (dedupKey === null) {
    const message = `is required to ${action}: send the same subject or data.dedupKey as the event that opened the incident`;
    return { ok: false, errors: [{ path: "subject", message }] };
  }
  const key = { dedupKey, occurrence: null, messageId: `${event.source} ${event.id}` };
  if (action !== "trigger") return { ok: true, signal: { ...key, action } };
  return {
    ok: true,
    signal: {
      ...key,
      action,
      incident: {
        title: toTitle(firstText(data.title, data.summary, data.message) ?? titleOf(event.type, subject)),
        description: toDescription(typeof event.data === "string" ? event.data : data.description),
        severity: severityOf(data.severity),
        service: firstText(data.service),
        source: firstText(data.source),
        host: firstText(data.host),
        teamId: firstText(data.teamId),
        assignedTo: firstText(data.assignedTo),
        tags: toTags([...Object.entries(data.tags ?? {}), ...attributesOf(event)]),
      },
    },
  };
}

function titleOf(type: string, subject: string | null): string {
  return subject === null ? type : `${type}: ${subject}`;
}

function lastWord(text: string): string {
  return (
    text
      .trim()
      .toLowerCase()
      .split(/[./:_-]/u)
      .at(-1) ?? ""
  );
}

/** The event's attributes and extensions, as tags `ce.type`, `ce.source` …. */
function attributesOf(event: CloudEvent): [string, JsonValue | undefined][] {
  return Object.entries(event).flatMap(([name, value]): [string, JsonValue | undefined][] => {
    const isTaken = name === "data" || name === "data_base64" || name === "specversion";
    const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    return isTaken || !isPlain ? [] : [[`ce.${name}`, value]];
  });
}
