import { descriptorOf } from "../../../../schema/contract/connection.ts";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import type { ConfigField } from "../../../../schema/contract/connections/descriptor.ts";

/** The labels of a field of the configuration. A field that the type does not have is labelled with its name. */
export function labelsOf(type: ConnectionType, name: string): Omit<ConfigField, "schema"> {
  return descriptorOf(type).config.fields[name] ?? { label: name };
}
