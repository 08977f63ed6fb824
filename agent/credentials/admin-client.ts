import { z } from "zod";
import { credentialTargetSchema } from "../../schema/contract/credential-target.ts";
import { jsonObjectSchema } from "../../schema/contract/json.ts";
import { problemSchema } from "../../schema/contract/problem.ts";
import type { Problem } from "../../schema/contract/problem.ts";
import { AdminConnection } from "../admin/connection.ts";
import type { AdminAnswer } from "../admin/connection.ts";
import { EXIT } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { CommandRefused } from "./refused.ts";
import type { VaultAccess } from "./vault-access.ts";

const CALL_TIMEOUT_MS = 30_000;

const summarySchema = z.object({
  connectionId: z.string(),
  version: z.int(),
  updatedAt: z.string(),
  names: z.array(z.string()),
  target: credentialTargetSchema.optional(),
  resolved: z.array(jsonObjectSchema).optional(),
  unbound: z.literal(true).optional(),
  wanted: credentialTargetSchema.optional(),
});
const resolvedSchema = z.object({ resolved: z.array(jsonObjectSchema) });
const storedSchema = summarySchema.extend({ namesBefore: z.array(z.string()).optional() });
const lostSchema = z.object({ movedTo: z.string(), connectionIds: z.array(z.string()) }).nullable();
const statusSchema = z.object({ vault: z.object({ fingerprint: z.string(), lost: lostSchema }) });

/** The vault through the admin API of the running agent (docs/design/agent-protocol.md#admin-api). Throws NotProven. */
export async function openAdminClient(place: { url: string; token: string }): Promise<VaultAccess> {
  const connection = await AdminConnection.open({ ...place, timeoutMs: CALL_TIMEOUT_MS });
  const call = async <T>(method: string, path: string, answer: z.ZodType<T>, body?: object) => {
    return read(await connection.send(method, path, body), answer);
  };
  const read = <T>(answered: AdminAnswer, answer: z.ZodType<T>) => {
    const parsed = z.object({ data: answer }).safeParse(answered.body);
    if (isOk(answered) && parsed.success) return { status: answered.status, data: parsed.data.data };
    throw refusal(answered, place.url);
  };
  return {
    by: "agent",
    place: place.url,
    list: async () => {
      const { data: credentials } = await call("GET", "/v1/credentials", z.array(summarySchema));
      const { data: status } = await call("GET", "/v1/status", statusSchema);
      return { fingerprint: status.vault.fingerprint, credentials, lost: status.vault.lost };
    },
    put: async (connectionId, content) => {
      const { status, data } = await call("PUT", `/v1/credentials/${connectionId}`, storedSchema, content);
      return { ...data, isNew: status === 201 };
    },
    // A 404 here means an agent of an older version: the list has just shown the credential.
    resolve: async (connectionId, target) =>
      (await call("POST", `/v1/credentials/${connectionId}/resolve`, resolvedSchema, { target })).data.resolved,
    bind: async (connectionId, target, resolved) => {
      const answered = await connection.send("POST", `/v1/credentials/${connectionId}/bind`, { target, resolved });
      return answered.status === 404 ? null : read(answered, summarySchema).data;
    },
    remove: async (connectionId) => {
      const answered = await connection.send("DELETE", `/v1/credentials/${connectionId}`);
      if (isOk(answered)) return true;
      if (answered.status === 404) return false;
      throw refusal(answered, place.url);
    },
    close: () => connection.close(),
  };
}

function isOk({ status }: AdminAnswer): boolean {
  return status >= 200 && status < 300;
}

function refusal(answered: AdminAnswer, url: string): CommandRefused {
  const problem = problemSchema.safeParse(answered.body);
  if (!problem.success || isOk(answered) || problem.data.code === "not_found") {
    return new CommandRefused(
      EXIT.unavailable,
      `the agent at ${url} answers in a way that this version does not know: restart the agent with this version`,
    );
  }
  return new CommandRefused(exitCodeOf(problem.data), sentenceOf(problem.data));
}

function exitCodeOf({ code }: Problem): ExitCode {
  if (code === "rate_limit_exceeded") return EXIT.unavailable;
  if (code === "invalid_request" || code === "payload_too_large") return EXIT.badInput;
  return EXIT.failed;
}

function sentenceOf({ detail, errors = [] }: Problem): string {
  const details = errors.map(({ path, message }) => `${path} ${message}`);
  return [detail, ...details].join("\n  ");
}
