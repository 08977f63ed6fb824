import { z } from "zod";
import { connectionTargetSchema, descriptorOf, isConnectionType, takesCredential } from "./connection.ts";
import type { ConnectionTarget, ConnectionType } from "./connection.ts";
import { opaqueIdSchema } from "./ids.ts";
import { canonicalJson, jsonValueSchema } from "./json.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { targetIssueMessage } from "./target-issue.ts";

/**
 * Where a connection's credential may be sent (docs/design/credentials.md#targets): a list with one entry per place,
 * today always one. An entry holds `type` and the fields of the configuration that lead there, normalized, and
 * `workflows` if the credential is for certain ones. A credential is sealed together with its target, and an agent uses
 * it for no other.
 */
export const credentialTargetSchema = z
  .array(z.record(z.string().max(128), jsonValueSchema))
  .max(100)
  .describe(
    "Where the credential may be sent: the connection's type, and the fields of its configuration that decide this.",
  );
export type CredentialTarget = z.infer<typeof credentialTargetSchema>;

/** A person's target, normalized; refuses a value that no connection's target can have. */
export const writtenTargetSchema = credentialTargetSchema.min(1, "must have an entry").transform((entries, context) =>
  entries.flatMap((entry, index) => {
    const { type, workflows: listed, ...fields } = entry;
    const workflows = workflowsSchema.safeParse(listed);
    const config = { ...(isConnectionType(type) ? besideTarget(type) : {}), ...fields };
    const connection = connectionTargetSchema.safeParse({ type, config });
    const target = connection.success ? targetOf(connection.data, workflows.data ?? null) : [];
    if (!workflows.success) {
      context.addIssue({ code: "custom", path: [index, "workflows"], message: "must be a list of workflow ids" });
    }
    for (const issue of connection.error?.issues ?? []) {
      const path = [index, ...issue.path.filter((name) => name !== "config")];
      context.addIssue({ code: "custom", path, message: targetIssueMessage(issue, { type, config }) });
    }
    if (connection.success && target.length === 0) {
      const message = `a connection of type ${connection.data.type} has no credential`;
      context.addIssue({ code: "custom", path: [index, "type"], message });
    }
    return target;
  }),
);

const workflowsSchema = z.array(opaqueIdSchema).max(100).optional();

/**
 * The target of a connection by its configuration; without entries for a type that has no credential. `workflows`:
 * those that the credential is for; null for all (`sealedWorkflows`).
 */
export function targetOf(connection: ConnectionTarget, workflows: readonly string[] | null = null): CredentialTarget {
  const { type, config } = connection;
  if (!takesCredential(type)) return [];
  const sealed: JsonObject = workflows === null ? {} : { workflows: [...new Set(workflows)].toSorted() };
  return [{ type, ...descriptorOf(type).target(config), ...sealed }];
}

/** A configuration's fields outside the target, from the example: people write only the target. */
function besideTarget(type: ConnectionType): JsonObject {
  const { config, example } = descriptorOf(type);
  return Object.fromEntries(
    Object.entries(example.config).filter(([name]) => config.fields[name]?.target === undefined),
  );
}

/** Whether an entry of a target lets this workflow use the credential; null for a job without a workflow. */
export function isForWorkflow({ workflows }: CredentialTarget[number], workflowId: string | null): boolean {
  return !Array.isArray(workflows) || (workflowId !== null && workflows.includes(workflowId));
}

/**
 * Whether a credential for `bound` may be used at `wanted`: every entry of `wanted` is in `bound`. A target without
 * entries leads nowhere, so no credential covers it.
 */
export function coversTarget(bound: CredentialTarget, wanted: CredentialTarget): boolean {
  const entries = new Set(bound.map(canonicalJson));
  return wanted.length > 0 && wanted.every((entry) => entries.has(canonicalJson(entry)));
}

/** One text for equal targets or equal parts of them, in any order of fields. Agents report its SHA-256. */
export function canonicalTarget(target: JsonValue): string {
  return canonicalJson(target);
}
