import type { ConnectionView } from "../../../schema/contract/management.ts";
import type { ConnectionType } from "../../../schema/contract/connection.ts";
import { descriptorOf } from "../../../schema/contract/connection.ts";

export interface ListFilter {
  type: ConnectionType | null;
  words: string;
}

/** Whether a connection is one that somebody looks for: every word stands in its name, type, place or configuration. */
export function isMeant(connection: ConnectionView, where: string, { type, words }: ListFilter): boolean {
  if (type !== null && connection.type !== type) return false;
  const { label } = descriptorOf(connection.type);
  const texts = [connection.name, connection.id, connection.type, label, where, ...Object.values(connection.config)];
  const searched = texts
    .filter((text) => typeof text === "string" || typeof text === "number")
    .join(" ")
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => searched.includes(word));
}
