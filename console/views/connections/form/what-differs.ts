import { labelsOf } from "./field-labels.ts";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import { connectionForms } from "../../../strings/en/connection-forms.ts";

const text = connectionForms.edited;

/** Another person's changes of a connection, as sentences. */
export function whatDiffers(before: ConnectionView, after: ConnectionView): string[] {
  const fields = new Set([...Object.keys(before.config), ...Object.keys(after.config)]);
  const changed = [...fields].filter(
    (name) => JSON.stringify(before.config[name]) !== JSON.stringify(after.config[name]),
  );
  const differences = [
    ...(before.name === after.name ? [] : [text.name(after.name)]),
    ...changed.map((name) => text.field(labelsOf(after.type, name).label, shown(after.config[name]))),
    ...(before.agentId === after.agentId && before.poolId === after.poolId ? [] : [text.where]),
    ...(before.enabled === after.enabled ? [] : [after.enabled ? text.enabled : text.disabled]),
  ];
  return differences.length === 0 ? [text.back] : differences;
}

function shown(value: unknown): string {
  if (value === undefined) return text.nothing;
  return typeof value === "string" ? value : JSON.stringify(value);
}
