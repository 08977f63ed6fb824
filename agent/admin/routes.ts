import { z } from "zod";
import { secretsSchema } from "../../schema/contract/credential.ts";
import type { Secrets } from "../../schema/contract/credential.ts";
import { opaqueIdSchema } from "../../schema/contract/ids.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { FieldError, ProblemCode } from "../../schema/contract/problem.ts";
import { problemWithKeyFormat } from "../../schema/contract/secret-shapes.ts";
import { BodyTooLarge, readBounded } from "../service/bounded-body.ts";
import type { CredentialSummary } from "../vault/entries.ts";
import { PROOF_PATH } from "./proof.ts";

const BODY_MAX_BYTES = Math.floor(1.1 * 1_024 * 1_024);
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/u;

export interface AdminDeps {
  status(): JsonObject;
  /** Prometheus text. */
  metrics(): string;
  credentials: {
    ready: Promise<void>;
    list(): CredentialSummary[];
    put(connectionId: string, secrets: Record<string, string>): Promise<CredentialSummary>;
    remove(connectionId: string): Promise<boolean>;
  };
}

export type AdminAnswer =
  | { status: 200 | 201; data: unknown }
  | { status: 200; text: string }
  | { problem: ProblemCode; detail: string; errors?: FieldError[]; allow?: string };

const putSchema = z.strictObject({ secrets: secretsSchema });

/** The routes of the admin API, for a request that the guard let pass (design 6). `proof` answers its challenge. */
export async function answerAdmin(
  request: Request,
  path: string,
  deps: AdminDeps & { proof: string | null },
): Promise<AdminAnswer> {
  const { method } = request;
  switch (path) {
    case PROOF_PATH:
      return method === "GET" ? { status: 200, data: { proof: deps.proof } } : wrongMethod("GET");
    case "/v1/status":
      return method === "GET" ? { status: 200, data: deps.status() } : wrongMethod("GET");
    case "/metrics":
      return method === "GET" ? { status: 200, text: deps.metrics() } : wrongMethod("GET");
    case "/v1/credentials":
      if (method !== "GET") return wrongMethod("GET");
      await deps.credentials.ready;
      return { status: 200, data: deps.credentials.list() };
  }
  const connectionId = /^\/v1\/credentials\/([^/]+)$/u.exec(path)?.[1];
  if (connectionId === undefined) return { problem: "not_found", detail: `There is nothing at ${path}.` };
  if (!opaqueIdSchema.safeParse(connectionId).success) {
    return { problem: "invalid_request", detail: "A connection's id has 1 to 64 letters, digits, - and _." };
  }
  if (method === "PUT") return putCredential(request, connectionId, deps);
  if (method === "DELETE") return removeCredential(connectionId, deps);
  return wrongMethod("PUT, DELETE");
}

async function putCredential(request: Request, connectionId: string, deps: AdminDeps): Promise<AdminAnswer> {
  const type = request.headers.get("Content-Type") ?? "";
  if (!/^application\/json\s*(;|$)/iu.test(type)) {
    return { problem: "unsupported_media_type", detail: "Send JSON: Content-Type: application/json." };
  }
  let text: string;
  try {
    text = await readBounded(request.body, BODY_MAX_BYTES);
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) throw error;
    return { problem: "payload_too_large", detail: `A credential has at most ${BODY_MAX_BYTES} bytes.` };
  }
  const value = parseJson(text);
  if (value === undefined) {
    return {
      problem: "invalid_request",
      detail:
        "The body is not valid JSON. Line breaks in a key are written \\n: jq -Rs '{secrets: {privateKey: .}}' key does it.",
    };
  }
  const parsed = putSchema.safeParse(value);
  if (!parsed.success) {
    // zod's messages name paths and kinds, never values.
    const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.map(String).join("."), message }));
    return { problem: "invalid_request", detail: 'Send {"secrets": {"name": "value"}}.', errors };
  }
  const problem = problemWith(parsed.data.secrets);
  if (problem !== null) return { problem: "invalid_request", detail: `The credential was not taken: ${problem}.` };
  await deps.credentials.ready;
  const before = deps.credentials.list().find((known) => known.connectionId === connectionId);
  const after = await deps.credentials.put(connectionId, parsed.data.secrets);
  if (before === undefined) return { status: 201, data: after };
  return { status: 200, data: { ...after, namesBefore: before.names } };
}

/** The agent does not know the type of a connection whose job it never had; so much can be told of any. */
function problemWith(secrets: Secrets): string | null {
  if (Object.keys(secrets).some((name) => CONTROL_CHARACTER.test(name))) {
    return "a name holds a line break or another control character";
  }
  return problemWithKeyFormat(secrets);
}

async function removeCredential(connectionId: string, deps: AdminDeps): Promise<AdminAnswer> {
  await deps.credentials.ready;
  if (await deps.credentials.remove(connectionId)) return { status: 200, data: { connectionId } };
  return { problem: "not_found", detail: `The vault has no credential for ${connectionId}.` };
}

function wrongMethod(allow: string): AdminAnswer {
  return { problem: "method_not_allowed", detail: `Use ${allow}.`, allow };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
