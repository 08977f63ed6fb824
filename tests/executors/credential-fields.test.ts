import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import {
  CONNECTION_CONFIGS,
  CONNECTION_TYPES,
  connectionTargetSchema,
  type ConnectionType,
  takesCredential,
} from "../../schema/contract/connection.ts";
import { coversTarget, type CredentialTarget, targetOf } from "../../schema/contract/credential-target.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { casesOf, peerOf } from "../support/connection-cases.ts";
import { recordConnections, useOf } from "../support/record-connections.ts";
import { runAction, temporaryState } from "../support/executor-context.ts";
import { type SilentPeer, startSilentPeer } from "../support/silent-peer.ts";

/**
 * Each field of each connection type is part of a credential's target (`tests/schema/credential-target.test.ts`), or a
 * change of it cannot send the credential elsewhere. A new field fails here until its type's cases include it.
 */
let rogue: SilentPeer;
beforeEach(() => {
  rogue = startSilentPeer();
});
afterEach(() => rogue.stop());

describe.each(CONNECTION_TYPES)("a credential of a connection of type %s", (type) => {
  const { changes, otherTargets = [], harmless = {}, entry, peer } = casesOf(type);

  test("has a case for every field of its configuration, and no others", () => {
    const bound = [changes, ...otherTargets.map((other) => other.changes)]
      .flat()
      .flatMap((change) => Object.keys(change));
    const fields = new Set([...bound, ...Object.keys(harmless)]);
    expect([...fields].toSorted()).toEqual(Object.keys(CONNECTION_CONFIGS[type].shape).toSorted());
  });

  test("has a target if and only if the type takes a credential", () => {
    expect(entry !== null).toBe(takesCredential(type));
  });

  for (const [field, rows] of Object.entries(harmless)) {
    test.skipIf(peer !== null && peer.missing !== null).each(rows)(
      `goes to the same server when ${field} gets %s`,
      (_, change) => staysWithItsPeer(type, field, change),
      60_000,
    );
  }
});

test("a SQLite connection uses no credential and opens no network connection, for any host and port", async () => {
  const state = await temporaryState();
  const file = join(state.path, "shop.db");
  new Database(file, { create: true }).run("CREATE TABLE orders (id)");
  const config = { driver: "sqlite", database: file, host: rogue.host, port: rogue.port, tls: "off" };
  const job = { config, secrets: { username: "ops", password: "canary-4711" }, params: { query: "SELECT 1" } };
  const opened = recordConnections();
  expect(await runAction("database", "database.executeQuery", job)).toMatchObject({ status: "succeeded" });
  expect(opened()).toEqual([]);
  expect(rogue.connections).toBe(0);
  await state.remove();
});

async function staysWithItsPeer(
  type: ConnectionType,
  field: string,
  change: (value: JsonValue | undefined) => JsonValue,
): Promise<void> {
  const peer = await peerOf(type).start();
  try {
    const { config } = peer.job;
    const other = { ...config, [field]: change(config[field]) };
    expect(coversTarget(targetWith(type, config), targetWith(type, other))).toBe(true);
    const before = await useOf(type, peer, {});
    expect(before).toMatchObject({ arrived: true });
    expect(await useOf(type, peer, { config: other })).toEqual(before);
    expect(rogue.connections).toBe(0);
  } finally {
    await peer.stop();
  }
}

function targetWith(type: ConnectionType, config: JsonObject): CredentialTarget {
  return targetOf(connectionTargetSchema.parse({ type, config }));
}
