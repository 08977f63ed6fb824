import { descriptorOf } from "../../../../schema/contract/connection.ts";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import type { ConfigField } from "../../../../schema/contract/connections/descriptor.ts";

/** How a field of the configuration is shown; one that the type does not have shows its name. */
export function labelsOf(type: ConnectionType, name: string): Omit<ConfigField, "schema"> {
  return descriptorOf(type).config.fields[name] ?? { label: name };
}
