import { z } from "zod";
import { problemSchema } from "../../schema/contract/problem.ts";
import type { Problem } from "../../schema/contract/problem.ts";
import { EXIT } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { describeError } from "../log.ts";
import { readBounded } from "../service/bounded-body.ts";
import { CommandRefused } from "./refused.ts";
import type { VaultAccess } from "./vault-access.ts";

const CALL_TIMEOUT_MS = 30_000;
const ANSWER_MAX_BYTES = 16 * 1_024 * 1_024;

const summarySchema = z.object({
  connectionId: z.string(),
  version: z.int(),
  updatedAt: z.string(),
  names: z.array(z.string()),
});
const storedSchema = summarySchema.extend({ namesBefore: z.array(z.string()).optional() });
const lostSchema = z.object({ movedTo: z.string(), connectionIds: z.array(z.string()) }).nullable();
const statusSchema = z.object({ vault: z.object({ fingerprint: z.string(), lost: lostSchema }) });

/** The vault by the admin API of the running agent (design 6). */
export function createAdminClient({ url, token }: { url: string; token: string }): VaultAccess {
  const ask = async (method: string, path: string, body?: object) => {
    const response = await send({ url, token, method, path, body });
    return { response, text: await readBounded(response.body, ANSWER_MAX_BYTES) };
  };
  const call = async <T>(method: string, path: string, answer: z.ZodType<T>, body?: object) => {
    const { response, text } = await ask(method, path, body);
    const parsed = z.object({ data: answer }).safeParse(parseJson(text));
    if (response.ok && parsed.success) return { status: response.status, data: parsed.data.data };
    throw refusal(response, text, url);
  };
  return {
    by: "agent",
    place: url,
    list: async () => {
      const { data: credentials } = await call("GET", "/v1/credentials", z.array(summarySchema));
      const { data: status } = await call("GET", "/v1/status", statusSchema);
      return { fingerprint: status.vault.fingerprint, credentials, lost: status.vault.lost };
    },
    put: async (connectionId, secrets) => {
      const { status, data } = await call("PUT", `/v1/credentials/${connectionId}`, storedSchema, { secrets });
      return { ...data, isNew: status === 201 };
    },
    remove: async (connectionId) => {
      const { response, text } = await ask("DELETE", `/v1/credentials/${connectionId}`);
      if (response.ok) return true;
      if (response.status === 404) return false;
      throw refusal(response, text, url);
    },
    close: () => undefined,
  };
}

async function send({ url, token, method, path, body }: SendOptions): Promise<Response> {
  try {
    return await fetch(`${url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: "manual",
      // A proxy of the environment must see neither the token nor the secrets.
      proxy: false,
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    });
  } catch (error) {
    throw new CommandRefused(
      EXIT.unavailable,
      `no agent answers at ${url} (${describeError(error)}): try again, or restart it`,
      { cause: error },
    );
  }
}

interface SendOptions {
  url: string;
  token: string;
  method: string;
  path: string;
  body: object | undefined;
}

function refusal(response: Response, text: string, url: string): CommandRefused {
  const problem = problemSchema.safeParse(parseJson(text));
  if (!problem.success || response.ok || problem.data.code === "not_found") {
    return new CommandRefused(EXIT.unavailable, `what answers at ${url} is no Bellhop agent: restart the agent`);
  }
  return new CommandRefused(exitCodeOf(problem.data), sentenceOf(problem.data));
}

function exitCodeOf({ code }: Problem): ExitCode {
  if (code === "unauthorized" || code === "forbidden") return EXIT.notAllowed;
  if (code === "rate_limit_exceeded") return EXIT.unavailable;
  if (code === "invalid_request" || code === "payload_too_large") return EXIT.badInput;
  return EXIT.failed;
}

function sentenceOf({ code, detail, errors = [] }: Problem): string {
  if (code === "unauthorized") {
    return "the agent does not take this token: leave ADMIN_TOKEN unset to use the file admin-token beside the vault, or set it to the agent's own";
  }
  const details = errors.map(({ path, message }) => `${path} ${message}`);
  return [detail, ...details].join("\n  ");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
