import type { JsonValue } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import type { PagerdutyEvent } from "../../../schema/contract/integration.ts";
import { severityBy } from "./severity.ts";
import type { SeverityOf } from "./severity.ts";
import type { Signal } from "./signal.ts";
import { firstText, toDescription, toTags, toTitle } from "./text.ts";

/**
 * One event of PagerDuty's Events API v2. `newKey` is the key for a trigger without one. In PagerDuty `payload.source`
 * is the affected machine, so it becomes the host.
 */
export function pagerdutySignal(event: PagerdutyEvent, newKey: string, severityOf: SeverityOf = severityBy()): Signal {
  if (event.event_action !== "trigger") {
    return { dedupKey: event.dedup_key, occurrence: null, messageId: null, action: event.event_action };
  }
  const { payload, client, client_url } = event;
  const details = payload.custom_details;
  const named = isJsonObject(details) ? details : {};
  return {
    dedupKey: event.dedup_key == null || event.dedup_key === "" ? newKey : event.dedup_key,
    occurrence: null,
    messageId: null,
    action: "trigger",
    incident: {
      title: toTitle(payload.summary),
      description: toDescription(typeof details === "string" ? details : textIn(named, "description")),
      severity: severityOf(payload.severity),
      service: firstText(payload.component, payload.group),
      source: null,
      host: firstText(payload.source),
      teamId: firstText(textIn(named, "teamId")),
      assignedTo: null,
      tags: toTags([
        ["component", payload.component],
        ["group", payload.group],
        ["class", payload.class],
        ["client", client],
        ["client_url", client_url],
        ...Object.entries(named),
      ]),
    },
  };
}

function textIn(object: Readonly<Record<string, JsonValue>>, name: string): string | undefined {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return typeof value === "string" ? value : undefined;
}
