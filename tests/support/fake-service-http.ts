import type { IncomingMessage, ServerResponse } from "node:http";

/** A problem answer, for faults. */
export function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  { detail = "as the test asked", headers = {} }: { detail?: string; headers?: Record<string, string> } = {},
): void {
  response.writeHead(status, { "Content-Type": "application/problem+json", ...headers });
  response.end(
    JSON.stringify({
      type: "about:blank",
      title: "Refused",
      status,
      code,
      detail,
      timestamp: new Date().toISOString(),
      instance: "/",
    }),
  );
}

export function send(response: ServerResponse, data: unknown): void {
  response.writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  response.end(JSON.stringify({ success: true, data }));
}

/**
 * Does as if it answered, and cuts the connection in the middle of the answer: cut before it, fetch would quietly ask
 * once more by itself.
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

export async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks).toString("utf8");
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
