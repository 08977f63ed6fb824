import type { JsonObject } from "../../schema/contract/json.ts";
import type { WorkflowInput } from "../../schema/contract/management.ts";
import { INCIDENT_FIELDS } from "../../worker/domain/incident/fields.ts";
import type { Completion } from "./completion.ts";
import { INCIDENT_LABELS, tagsKnown } from "./trigger-completions.ts";

/** The fields that conditions of an incident trigger may name: those of incidents, and known tags. */
export function incidentFields(
  draft: Pick<WorkflowInput, "trigger" | "definition">,
  incident: JsonObject,
): Completion[] {
  return [
    ...INCIDENT_FIELDS.map((path): Completion => ({ path, type: "text", detail: INCIDENT_LABELS[path] })),
    ...[...tagsKnown(draft, incident)].map((name): Completion => ({
      path: `tags.${name}`,
      type: "text",
      detail: `the tag ${name}`,
    })),
  ];
}
