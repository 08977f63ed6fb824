import { z } from "zod";

/**
 * The management API for the run itself, without faults in between. It retries until the service is back, so a request
 * may take effect twice. It is only for requests where that does no harm.
 */
export interface Admin {
  call<T>(method: string, path: string, body: unknown, shape: z.ZodType<T>): Promise<T>;
}

/** The service refused, and a retry would get the same answer. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const TRY_MS = 10_000;
const BETWEEN_TRIES_MS = 200;

/** Gives up after `withinMs`. Throws Refused where a retry would not help. */
export function createAdmin(url: () => string, token: string, withinMs = 240_000): Admin {
  return {
    call: async (method, path, body, shape) => {
      const deadline = performance.now() + withinMs;
      for (;;) {
        const answer = await once(`${url()}/api/v1/automation${path}`, method, body, token);
        const text = typeof answer === "string" ? answer : await answer.text().catch(() => null);
        if (typeof answer !== "string" && text !== null) {
          if (answer.ok) return z.object({ data: shape }).parse(JSON.parse(text)).data;
          const passes = answer.status >= 500 || answer.status === 429;
          if (!passes) throw new Refused(answer.status, `${method} ${path} answered ${answer.status}: ${text}`);
        }
        if (performance.now() > deadline) throw new Error(`${method} ${path} was not answered in time: ${text ?? ""}`);
        await Bun.sleep(BETWEEN_TRIES_MS);
      }
    },
  };
}

async function once(url: string, method: string, body: unknown, token: string): Promise<Response | string> {
  try {
    return await fetch(url, {
      method,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TRY_MS),
    });
  } catch (error) {
    return String(error);
  }
}
