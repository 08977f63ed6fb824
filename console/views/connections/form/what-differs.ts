import { labelsOf } from "./field-labels.ts";
import type { ConnectionView } from "../../../../schema/contract/management.ts";

/** Another person's changes of a connection, as sentences. */
export function whatDiffers(before: ConnectionView, after: ConnectionView): string[] {
  const fields = new Set([...Object.keys(before.config), ...Object.keys(after.config)]);
  const changed = [...fields].filter(
    (name) => JSON.stringify(before.config[name]) !== JSON.stringify(after.config[name]),
  );
  const differences = [
    ...(before.name === after.name ? [] : [`Its name is now ${after.name}.`]),
    ...changed.map((name) => `${labelsOf(after.type, name).label}: ${shown(after.config[name])}.`),
    ...(before.agentId === after.agentId && before.poolId === after.poolId
      ? []
      : ["It now runs on another agent or pool."]),
    ...(before.enabled === after.enabled ? [] : [`It was ${after.enabled ? "enabled" : "disabled"}.`]),
  ];
  return differences.length === 0 ? ["It was changed, and changed back."] : differences;
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  return typeof value === "string" ? value : JSON.stringify(value);
}
