import type { ExecutorOutcome } from "../../agent/executors/executor.ts";
import { createHttpExecutor, type HttpDeps } from "../../agent/executors/http/index.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { asDeclared } from "./declared-output.ts";
import { contextOf, type TestJob } from "./executor-context.ts";

/** Resolves only the given names, and counts its calls. */
export function namesOnly(names: Readonly<Record<string, string[]>>): HttpDeps["lookup"] & { asked: string[] } {
  const asked: string[] = [];
  const lookup = async (hostname: string): Promise<string[]> => {
    asked.push(hostname);
    const addresses = names[hostname];
    if (addresses === undefined)
      throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: "ENOTFOUND" });
    return addresses;
  };
  return Object.assign(lookup, { asked });
}

/** Runs http.request with these dependencies. */
export async function requestWith(
  deps: Partial<HttpDeps>,
  config: JsonObject,
  params: JsonObject,
  job: TestJob = {},
): Promise<ExecutorOutcome> {
  const run = createHttpExecutor({ lookup: namesOnly({}), environment: {}, ...deps }).actions["http.request"];
  if (run === undefined) throw new Error("there is no http.request");
  const context = contextOf("http", { ...job, config: { authType: "none", ...config }, params }, "/nowhere");
  return asDeclared("http.request", await run(context));
}
