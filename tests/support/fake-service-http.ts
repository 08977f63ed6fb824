import type { IncomingMessage, ServerResponse } from "node:http";
import { PROBLEM_STATUS, STATUS_PHRASES } from "../../schema/contract/problem.ts";
import type { FieldError, Problem, ProblemCode } from "../../schema/contract/problem.ts";

/** How a service refuses a call. */
export interface Refusal {
  code: ProblemCode;
  detail: string;
  headers?: Record<string, string>;
  errors?: FieldError[];
}

export const UNAUTHORIZED: Refusal = {
  code: "unauthorized",
  detail: "the agent key is not known",
  headers: { "WWW-Authenticate": "Bearer" },
};

export function answerRefusal(response: ServerResponse, refusal: Refusal, path: string): void {
  response.writeHead(PROBLEM_STATUS[refusal.code], headersOf(refusal));
  response.end(JSON.stringify(bodyOfRefusal(refusal, path)));
}

export function refusalResponse(refusal: Refusal, path: string): Response {
  const init = { status: PROBLEM_STATUS[refusal.code], headers: headersOf(refusal) };
  return new Response(JSON.stringify(bodyOfRefusal(refusal, path)), init);
}

/** A problem answer, for faults. */
export function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  { detail = "as the test asked", headers = {} }: { detail?: string; headers?: Record<string, string> } = {},
): void {
  response.writeHead(status, { "Content-Type": "application/problem+json", ...headers });
  response.end(JSON.stringify(problem({ status, code, title: "Refused", detail, instance: "/" })));
}

export function send(response: ServerResponse, data: unknown): void {
  response.writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  response.end(JSON.stringify({ success: true, data }));
}

/**
 * Sends the headers, then cuts the connection in the middle of the answer: cut before them, fetch would silently retry.
 */
export function cutting(response: ServerResponse): ServerResponse {
  const writeHead = response.writeHead.bind(response);
  return Object.assign(response, {
    writeHead: () => response,
    end: () => {
      writeHead(200, { "Content-Type": "application/json", "Content-Length": "1000" });
      response.write('{"success":true,', () => response.destroy());
      return response;
    },
  });
}

/** A request's body; `json` is the text when it is invalid JSON, and undefined when the body is blank. */
export async function bodyOf(request: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const whole = Buffer.concat(chunks);
  const text = whole.toString("utf8");
  const body = { bytes: whole.byteLength, isBlank: text.trim() === "", isJson: true };
  if (body.isBlank) return { ...body, json: undefined };
  try {
    const json: unknown = JSON.parse(text);
    return { ...body, json };
  } catch {
    return { ...body, json: text, isJson: false };
  }
}

function headersOf({ headers }: Refusal): Record<string, string> {
  return { "Content-Type": "application/problem+json", "Cache-Control": "no-store", ...headers };
}

function bodyOfRefusal({ code, detail, errors }: Refusal, instance: string): Problem {
  const status = PROBLEM_STATUS[code];
  const body = problem({ status, code, title: STATUS_PHRASES[status], detail, instance });
  return errors === undefined ? body : { ...body, errors };
}

function problem(fields: Omit<Problem, "type" | "timestamp" | "requestId" | "errors">): Problem {
  return { type: "about:blank", ...fields, timestamp: new Date().toISOString(), requestId: crypto.randomUUID() };
}
