import type { Input, Item, Later, Method, Output, Page, PagedPath, PathOf } from "./operations.ts";
import { ApiProblem, readProblem, unreachable } from "./problem.ts";
import { recordServiceTime } from "./service-clock.ts";
import { failures } from "../strings/en/shell.ts";

/** Longer than any API call takes: the slowest waits 30 s for a connection test. */
const TIMEOUT_MS = 45_000;

/** A 401 or 403 from these paths answers the request itself. It does not mean that the session ended. */
const SESSION_PATHS: ReadonlySet<string> = new Set(["/api/v1/auth/login", "/api/v1/auth/logout", "/api/v1/auth/me"]);

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** The revision that the page shows: the change gets 412 when another person has changed the resource since. */
  ifMatch?: number | undefined;
  /** A repeated POST with the same key runs once (`idempotent` in the contract). */
  idempotencyKey?: string | undefined;
  /** Replaces the session cookie: before the first set-up there is no session. */
  bearerToken?: string | undefined;
}

/** Called when the service answers that the session is over. */
let onSignedOut: () => void = () => {};

export function whenSignedOut(listener: () => void): void {
  onSignedOut = listener;
}

/** Called when the service refuses something that the page offered: the person's permissions may have changed. */
let onForbidden: () => void = () => {};

export function whenForbidden(listener: () => void): void {
  onForbidden = listener;
}

/** A GET whose caller states the type of the answer. This spares the compiler a comparison of two generic types. */
export async function readUntyped<T>(path: string, input: unknown, options: CallOptions): Promise<T> {
  return readAnswer(await send("GET", path, asContract(input), options));
}

/** Calls the contract's operation with this method and path. Throws an ApiProblem. */
export async function call<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  input: Input<M, P>,
  options: CallOptions = {},
): Promise<Output<M, P>> {
  return readAnswer(await send(method, path, asContract(input), options));
}

/** The page of a list that begins at `cursor`; null is the first page. */
export async function callPage<P extends PagedPath>(
  path: P,
  input: Input<"GET", P>,
  cursor: string | null,
  options: CallOptions = {},
): Promise<Page<Item<P>>> {
  const given = asContract<AnyInput>(input);
  const query = cursor === null ? given.query : { ...given.query, cursor };
  return readAnswer(await send("GET", path, { ...given, query }, options));
}

/** Like `call`, for an operation that may answer 202 with another shape: `later` then holds that answer. */
export async function callMaybeLater<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  input: Input<M, P>,
  options: CallOptions = {},
): Promise<MaybeLater<Output<M, P>, Later<M, P>>> {
  const response = await send(method, path, asContract(input), options);
  const content = await readAnswer<unknown>(response);
  return asContract(response.status === 202 ? { data: null, later: content } : { data: content, later: null });
}

export type MaybeLater<Data, Later> = { data: Data; later: null } | { data: null; later: Later };

/** The shape that the inputs of all operations share. */
interface AnyInput {
  path?: Record<string, string> | undefined;
  query?: object | undefined;
  body?: unknown;
}

function addressOf(path: string, input: AnyInput): string {
  const filled = path.replaceAll(/\{(\w+)\}/gu, (_match, name: string) => encodeURIComponent(input.path?.[name] ?? ""));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

async function send(method: Method, path: string, input: AnyInput, options: CallOptions): Promise<Response> {
  const address = addressOf(path, input);
  const { body } = input;
  const headers = new Headers({ Accept: "application/json" });
  const asText = typeof body === "string";
  if (body !== undefined) headers.set("Content-Type", asText ? "application/yaml" : "application/json");
  if (options.ifMatch !== undefined) headers.set("If-Match", `"${options.ifMatch}"`);
  if (options.idempotencyKey !== undefined) headers.set("Idempotency-Key", options.idempotencyKey);
  if (options.bearerToken !== undefined) headers.set("Authorization", `Bearer ${options.bearerToken}`);
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  const signal = options.signal === undefined ? deadline : AbortSignal.any([options.signal, deadline]);
  const sentAt = Date.now();
  let response: Response;
  try {
    response = await fetch(address, {
      method,
      headers,
      signal,
      credentials: options.bearerToken === undefined ? "same-origin" : "omit",
      ...(body === undefined ? {} : { body: asText ? body : JSON.stringify(body) }),
    });
  } catch (error) {
    // The caller aborted the request: the service did not fail.
    if (options.signal?.aborted === true) throw error;
    throw unreachable(error);
  }
  recordServiceTime(response, sentAt);
  if (response.ok) return response;
  const problem = await readProblem(response);
  if (options.bearerToken === undefined && !SESSION_PATHS.has(address)) {
    if (problem.status === 401) onSignedOut();
    if (problem.status === 403) onForbidden();
  }
  throw problem;
}

/** The content of an answer. The service's tests check that it has the contract's shape. */
async function readAnswer<T>(response: Response): Promise<T> {
  const type = response.headers.get("Content-Type") ?? "";
  try {
    if (!type.startsWith("application/json")) return asContract(await response.text());
    const answer: { success: true; data: unknown; nextCursor?: string | null } = await response.json();
    if (answer.nextCursor === undefined) return asContract(answer.data);
    const page: Page<unknown> = { items: Array.isArray(answer.data) ? answer.data : [], nextCursor: answer.nextCursor };
    return asContract(page);
  } catch (error) {
    throw new ApiProblem({ status: 0, code: "unreachable", detail: failures.incomplete }, error);
  }
}

/** The only cast from data on the wire to a type of the contract. */
function asContract<T>(value: unknown): T {
  return value as T;
}
