import { tmpdir } from "node:os";
import { programsHere } from "../../agent/programs/here.ts";
import { targetResolver } from "../../agent/vault/resolve-target.ts";
import type { ResolveTarget } from "../../agent/vault/resolve-target.ts";
import { Releases } from "../../agent/vault/releases.ts";
import type { Credential } from "../../agent/vault/entries.ts";
import type { Vault } from "../../agent/vault/index.ts";
import { loadExecutor } from "../../agent/executors/index.ts";
import { connectionTargetSchema } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { targetOf } from "../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { Secrets } from "../../schema/contract/credential.ts";
import type { JsonObject } from "../../schema/contract/json.ts";

/** The target of a connection with this configuration. */
export function targetFor(
  type: ConnectionType,
  config: JsonObject,
  workflows: readonly string[] | null = null,
): CredentialTarget {
  return targetOf(connectionTargetSchema.parse({ type, config }), workflows);
}

/** The vault's entry for a connection with this configuration: its credential, bound to it. */
export function boundTo(type: ConnectionType, config: JsonObject, secrets: Secrets) {
  return { secrets, target: targetFor(type, config) };
}

/** For an agent whose Slack is at this address. */
export function resolverFor({ slackApiUrl = "http://127.0.0.1:9" } = {}): ResolveTarget {
  return targetResolver({ load: loadExecutor }, { slackApiUrl }, programsHere(tmpdir()));
}

/** The vault's secrets of a connection, bound or not; the agent itself cannot read them this way. */
export function secretsIn(vault: Vault, connectionId: string): Secrets | null {
  const index = vault.list().findIndex((credential) => credential.connectionId === connectionId);
  return vault.allSecrets()[index] ?? null;
}

export interface HeldCredential {
  type: ConnectionType;
  config: JsonObject;
  secrets: Secrets;
}

/** The releases of a vault with these secrets, by connection, each bound to its connection. */
export async function releasesOf(
  held: Readonly<Record<string, HeldCredential>>,
  settings: { slackApiUrl?: string } = {},
): Promise<Releases> {
  const resolve = resolverFor(settings);
  const credentials = new Map<string, Credential>();
  for (const [connectionId, { type, config, secrets }] of Object.entries(held)) {
    // A configuration that no connection can have, or a missing kubeconfig: the job itself reports the problem.
    const connection = connectionTargetSchema.safeParse({ type, config });
    const target = connection.success ? targetOf(connection.data) : [];
    const resolved = await resolve(connectionId, target, secrets).catch(() => []);
    const stored = { connectionId, version: 0, updatedAt: "", nonce: "", ciphertext: "" };
    credentials.set(connectionId, { stored, secrets, bound: { target, resolved } });
  }
  return new Releases((connectionId) => credentials.get(connectionId));
}
