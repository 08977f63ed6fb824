import { z } from "zod";

/**
 * The management API for the run's own purposes, past every fault: it tries again until the service is back. What it
 * does may therefore happen twice; it does nothing for which that matters.
 */
export interface Admin {
  call<T>(method: string, path: string, body: unknown, shape: z.ZodType<T>): Promise<T>;
}

/** The service said no, and will say no again. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const TRY_MS = 10_000;
const BETWEEN_TRIES_MS = 200;

/** Gives up after `withinMs`. Throws Refused where another try would not help. */
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
