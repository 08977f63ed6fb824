import { z } from "zod";
import { writtenTargetSchema } from "../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import { secretsSchema } from "../../schema/contract/credential.ts";
import { opaqueIdSchema } from "../../schema/contract/ids.ts";
import { jsonObjectSchema } from "../../schema/contract/json.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { FieldError, ProblemCode } from "../../schema/contract/problem.ts";
import { problemWithKeyFormat, problemWithSecretsFor } from "../../schema/contract/secret-shapes.ts";
import { BodyTooLarge, readBounded } from "../service/bounded-body.ts";
import type { CredentialSummary } from "../vault/entries.ts";
import { PROOF_PATH } from "./proof.ts";
import { TargetUnresolved } from "../vault/resolve-target.ts";
import type { CredentialContent } from "../vault/resolve-target.ts";

const BODY_MAX_BYTES = Math.floor(1.1 * 1_024 * 1_024);
// oxlint-disable-next-line no-control-regex -- finds control characters
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/u;

export interface AdminDeps {
  status(): JsonObject;
  /** Prometheus text. */
  metrics(): string;
  credentials: {
    ready: Promise<void>;
    list(): CredentialSummary[];
    put(connectionId: string, content: CredentialContent): Promise<CredentialSummary>;
    /** Null when the vault has no such credential. */
    resolve(connectionId: string, target: CredentialTarget): Promise<JsonObject[] | null>;
    /** Null as for `resolve`. With `resolved`, the credential is bound only if the target still resolves to it. */
    bind(connectionId: string, target: CredentialTarget, resolved?: JsonObject[]): Promise<CredentialSummary | null>;
    remove(connectionId: string): Promise<boolean>;
  };
}

export type AdminAnswer =
  | { status: 200 | 201; data: unknown }
  | { status: 200; text: string }
  | { problem: ProblemCode; detail: string; errors?: FieldError[]; allow?: string };

const putSchema = z.strictObject({ secrets: secretsSchema, target: writtenTargetSchema.optional() });
const resolveSchema = z.strictObject({ target: writtenTargetSchema });
const bindSchema = resolveSchema.extend({ resolved: z.array(jsonObjectSchema).optional() });

/**
 * The routes of the admin API, for a request that passed the guard (docs/design/agent-protocol.md#admin-api). `proof`
 * answers its challenge.
 */
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
  const [, connectionId, verb] = /^\/v1\/credentials\/([^/]+)(?:\/(bind|resolve))?$/u.exec(path) ?? [];
  if (connectionId === undefined)
    return { problem: "not_found", detail: `There is no endpoint ${path}. bellhop-agent --help lists the endpoints.` };
  if (!opaqueIdSchema.safeParse(connectionId).success) {
    return { problem: "invalid_request", detail: "A connection's id has 1 to 64 letters, digits, - and _." };
  }
  if (verb !== undefined && method !== "POST") return wrongMethod("POST");
  if (verb === "bind") return bindCredential(request, connectionId, deps);
  if (verb === "resolve") return resolveForCredential(request, connectionId, deps);
  if (method === "PUT") return putCredential(request, connectionId, deps);
  if (method === "DELETE") return removeCredential(connectionId, deps);
  return wrongMethod("PUT, DELETE");
}

async function putCredential(request: Request, connectionId: string, deps: AdminDeps): Promise<AdminAnswer> {
  const read = await bodyOf(request, putSchema, 'Send {"secrets": {"name": "value"}, "target": [{"type": …}]}.');
  if ("problem" in read) return read;
  const problem = problemWith(read.body);
  if (problem !== null) return { problem: "invalid_request", detail: `The credential was not taken: ${problem}.` };
  await deps.credentials.ready;
  const before = deps.credentials.list().find((known) => known.connectionId === connectionId);
  return unlessUnresolved(async () => {
    const after = await deps.credentials.put(connectionId, read.body);
    if (before === undefined) return { status: 201, data: after };
    return { status: 200, data: { ...after, namesBefore: before.names } };
  });
}

async function bindCredential(request: Request, connectionId: string, deps: AdminDeps): Promise<AdminAnswer> {
  const read = await bodyOf(request, bindSchema, 'Send {"target": [{"type": …}]}, as GET /v1/credentials shows it.');
  if ("problem" in read) return read;
  await deps.credentials.ready;
  return unlessUnresolved(async () => {
    const { target, resolved } = read.body;
    const bound = await deps.credentials.bind(connectionId, target, resolved);
    return bound === null ? noCredential(connectionId) : { status: 200, data: bound };
  });
}

/** Shows a person what `bind` would bind to on this host. */
async function resolveForCredential(request: Request, connectionId: string, deps: AdminDeps): Promise<AdminAnswer> {
  const read = await bodyOf(request, resolveSchema, 'Send {"target": [{"type": …}]}.');
  if ("problem" in read) return read;
  await deps.credentials.ready;
  return unlessUnresolved(async () => {
    const resolved = await deps.credentials.resolve(connectionId, read.body.target);
    return resolved === null ? noCredential(connectionId) : { status: 200, data: { resolved } };
  });
}

async function unlessUnresolved(work: () => Promise<AdminAnswer>): Promise<AdminAnswer> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TargetUnresolved)) throw error;
    return { problem: "conflict", detail: error.message };
  }
}

type Refused = Extract<AdminAnswer, { problem: ProblemCode }>;

async function bodyOf<T>(request: Request, schema: z.ZodType<T>, hint: string): Promise<{ body: T } | Refused> {
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
  const parsed = schema.safeParse(value);
  if (parsed.success) return { body: parsed.data };
  // zod's messages name paths and kinds, never values.
  const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.map(String).join("."), message }));
  return { problem: "invalid_request", detail: hint, errors };
}

/** Without a target the type is not known. Then only mistakes that are wrong for every type are reported. */
function problemWith({ secrets, target = [] }: CredentialContent): string | null {
  if (Object.keys(secrets).some((name) => CONTROL_CHARACTER.test(name))) {
    return "a name holds a line break or another control character";
  }
  return problemWithKeyFormat(secrets) ?? problemWithSecretsFor(target, secrets);
}

async function removeCredential(connectionId: string, deps: AdminDeps): Promise<AdminAnswer> {
  await deps.credentials.ready;
  if (await deps.credentials.remove(connectionId)) return { status: 200, data: { connectionId } };
  return noCredential(connectionId);
}

function noCredential(connectionId: string): AdminAnswer {
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
