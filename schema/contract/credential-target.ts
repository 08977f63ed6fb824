import { z } from "zod";
import { connectionTargetSchema } from "./connection.ts";
import type { ConnectionConfig, ConnectionTarget } from "./connection.ts";
import { opaqueIdSchema } from "./ids.ts";
import { canonicalJson, jsonValueSchema } from "./json.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { wordsForTargetIssue } from "./target-issue.ts";

/**
 * Where a connection's credential may be sent (design 6): a list with one entry for each place, today always one. An entry
 * holds `type` and the fields of the configuration that lead there, in one spelling, and `workflows` where the credential
 * is for certain ones. A credential is sealed together with its target, and an agent uses it for no other.
 */
export const credentialTargetSchema = z
  .array(z.record(z.string().max(128), jsonValueSchema))
  .max(100)
  .describe("Where the credential may be sent: the fields of the configuration that say so, and its type.");
export type CredentialTarget = z.infer<typeof credentialTargetSchema>;

/** Required by a configuration, and no part of a target. */
const BESIDE_TARGET: Readonly<Record<string, JsonObject>> = {
  email: { fromAddress: "bellhop@example.com" },
  chat: { defaultChannel: "C00000000" },
};

/** A target as a person wrote it, in its one spelling; it refuses what no connection's target can be. */
export const writtenTargetSchema = credentialTargetSchema.min(1, "must have an entry").transform((entries, context) =>
  entries.flatMap((entry, index) => {
    const { type, workflows: listed, ...fields } = entry;
    const workflows = workflowsSchema.safeParse(listed);
    const config = { ...BESIDE_TARGET[String(type)], ...fields };
    const connection = connectionTargetSchema.safeParse({ type, config });
    const target = connection.success ? targetOf(connection.data, workflows.data ?? null) : [];
    if (!workflows.success) {
      context.addIssue({ code: "custom", path: [index, "workflows"], message: "must be a list of workflows' ids" });
    }
    for (const issue of connection.error?.issues ?? []) {
      const path = [index, ...issue.path.filter((name) => name !== "config")];
      context.addIssue({ code: "custom", path, message: wordsForTargetIssue(issue, { type, config }) });
    }
    if (connection.success && target.length === 0) {
      const message = `a connection of type ${connection.data.type} has no credential`;
      context.addIssue({ code: "custom", path: [index, "type"], message });
    }
    return target;
  }),
);

const workflowsSchema = z.array(opaqueIdSchema).max(100).optional();
const urlSchema = z.url({ normalize: true });
const DATABASE_PORTS = { postgres: 5_432, mysql: 3_306, sqlserver: 1_433, sqlite: null } as const;

/**
 * The target of a connection as it is configured; without entries for a type that has no credential. `workflows`: those
 * that the credential is for; null for all (`sealedWorkflows`).
 */
export function targetOf(connection: ConnectionTarget, workflows: readonly string[] | null = null): CredentialTarget {
  const fields = fieldsOf(connection);
  if (fields === null) return [];
  const sealed: JsonObject = workflows === null ? {} : { workflows: [...new Set(workflows)].toSorted() };
  return [{ type: connection.type, ...fields, ...sealed }];
}

/** Whether an entry of a target lets this workflow use the credential; null: the job is of none. */
export function isForWorkflow({ workflows }: CredentialTarget[number], workflowId: string | null): boolean {
  return !Array.isArray(workflows) || (workflowId !== null && workflows.includes(workflowId));
}

/**
 * Whether a credential for `bound` may be used where `wanted` leads: every entry of `wanted` is in `bound`. A target
 * without entries leads nowhere, so nothing covers it.
 */
export function coversTarget(bound: CredentialTarget, wanted: CredentialTarget): boolean {
  const entries = new Set(bound.map(canonicalJson));
  return wanted.length > 0 && wanted.every((entry) => entries.has(canonicalJson(entry)));
}

/** One text for equal targets, and for equal parts of them, in any order of fields. Agents report its SHA-256. */
export function canonicalTarget(target: JsonValue): string {
  return canonicalJson(target);
}

function fieldsOf(connection: ConnectionTarget): JsonObject | null {
  switch (connection.type) {
    case "ssh": {
      const { host, port, username, authMethod, hostKeyFingerprint } = connection.config;
      return {
        host: hostName(host),
        port,
        username,
        authMethod,
        ...(hostKeyFingerprint === undefined ? {} : { hostKeyFingerprint: hostKeyFingerprint.replace(/=+$/u, "") }),
      };
    }
    case "http":
      return httpFields(connection.config);
    case "kubernetes": {
      const { context, kubeconfigPath } = connection.config;
      return {
        ...(context === undefined ? {} : { context }),
        ...(kubeconfigPath === undefined ? {} : { kubeconfigPath }),
      };
    }
    case "database": {
      const { driver, host, port, database, tls } = connection.config;
      if (driver === "sqlite") return { driver, database };
      return { driver, host: hostName(host ?? ""), port: port ?? DATABASE_PORTS[driver], database, tls };
    }
    case "winrm": {
      const { host, port, useSsl, authMethod } = connection.config;
      return { host: hostName(host), port, useSsl, authMethod };
    }
    case "email": {
      const { smtpHost, smtpPort, useTls } = connection.config;
      return { smtpHost: hostName(smtpHost), smtpPort, useTls };
    }
    case "ticketing":
      return { serverUrl: address(connection.config.serverUrl), email: connection.config.email };
    // The address is the agent's setting SLACK_API_URL for chat, and the credential itself for teamchat.
    case "chat":
    case "teamchat":
      return {};
    case "custom":
      return { fields: connection.config.fields };
    case "script":
    case "osService":
    case "notification":
      return null;
  }
}

function httpFields({ baseUrl, authType, apiKeyHeader, verifySsl }: ConnectionConfig<"http">): JsonObject {
  const fields = { baseUrl: address(baseUrl), authType, verifySsl };
  return authType === "apiKey" ? { ...fields, apiKeyHeader: apiKeyHeader.toLowerCase() } : fields;
}

/** Names of hosts have no case, and an address in brackets is the same without them. */
export function hostName(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/u, "$1");
}

/** Slashes at the end of the path, upper case in the host, a default port and a fragment change nothing. */
function address(text: string): string {
  const [path = "", ...query] = urlSchema.parse(text).replace(/#.*$/u, "").split("?");
  return [path.replace(/\/+$/u, ""), ...query].join("?");
}
