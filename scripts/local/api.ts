import { z } from "zod";
import { problemSchema } from "../../schema/contract/problem.ts";

/** The management API for scripts. */
export interface Api {
  get<T>(path: string, shape: z.ZodType<T>): Promise<T>;
  post<T>(path: string, body: unknown, shape: z.ZodType<T>): Promise<T>;
}

export class ApiRefused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Throws ApiRefused with the problem's message when the service refuses. `shape` is the shape of `data`. */
export function createApi(url: string, adminToken: string): Api {
  const call = async <T>(method: string, path: string, body: unknown, shape: z.ZodType<T>): Promise<T> => {
    const response = await fetch(`${url}/api/v1/automation${path}`, {
      method,
      headers: { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const answer: unknown = await response.json();
    if (!response.ok) {
      const problem = problemSchema.safeParse(answer);
      const said = problem.success
        ? `${problem.data.code}: ${problem.data.detail} ${JSON.stringify(problem.data.errors ?? [])}`
        : "";
      throw new ApiRefused(response.status, `${method} ${path} answered ${response.status} ${said}`);
    }
    return z.object({ success: z.literal(true), data: shape }).parse(answer).data;
  };
  return {
    get: (path, shape) => call("GET", path, undefined, shape),
    post: (path, body, shape) => call("POST", path, body, shape),
  };
}
