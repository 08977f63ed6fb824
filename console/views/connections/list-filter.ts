import type { ConnectionView } from "../../../schema/contract/management.ts";
import type { ConnectionType } from "../../../schema/contract/connection.ts";
import { descriptorOf } from "../../../schema/contract/connection.ts";

export interface ListFilter {
  type: ConnectionType | null;
  text: string;
}

/** Whether a connection matches the filter: every word occurs in its name, type, agent, pool or configuration. */
export function matchesFilter(connection: ConnectionView, where: string, { type, text }: ListFilter): boolean {
  if (type !== null && connection.type !== type) return false;
  const { label } = descriptorOf(connection.type);
  const texts = [connection.name, connection.id, connection.type, label, where, ...Object.values(connection.config)];
  const searched = texts
    .filter((value) => typeof value === "string" || typeof value === "number")
    .join(" ")
    .toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => searched.includes(word));
}
