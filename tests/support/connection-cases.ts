import { existsSync } from "node:fs";
import { join } from "node:path";
import { CONNECTION_TYPES, type ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import type { Change, ConnectionCases } from "./connection-case.ts";
import type { CredentialPeerKind } from "./credential-peer.ts";

const loaded = new Map<ConnectionType, ConnectionCases>();
for (const type of CONNECTION_TYPES) {
  const file = join(import.meta.dir, "connection-types", `${type}.ts`);
  if (!existsSync(file)) continue;
  const module: { cases: ConnectionCases } = await import(file);
  loaded.set(type, module.cases);
}

/** The `cases` of `tests/support/connection-types/<type>.ts`. */
export function casesOf(type: ConnectionType): ConnectionCases {
  const cases = loaded.get(type);
  if (cases !== undefined) return cases;
  throw new Error(`Write tests/support/connection-types/${type}.ts, which exports \`cases: ConnectionCases\`.`);
}

/** The peer that receives the type's credential from an agent. */
export function peerOf(type: ConnectionType): CredentialPeerKind {
  const { peer } = casesOf(type);
  if (peer === null) throw new Error(`tests/support/connection-types/${type}.ts has no peer.`);
  return peer;
}

/** A configuration after a change. */
export function editedBy(config: JsonObject, change: Change): JsonObject {
  const edited: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries({ ...config, ...change })) if (value !== undefined) edited[name] = value;
  return edited;
}
