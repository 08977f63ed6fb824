import type { Env } from "../env.ts";
import type { Deps } from "../services/deps.ts";
import type { LogFields } from "../services/log.ts";
import type { Principal } from "./principal.ts";

/** What every Hono handler finds in its context. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    deps: Deps;
    requestId: string;
    /** The pattern of the endpoint's path; absent where there is none. The log names it, and never the path itself. */
    route?: string;
    /** What a handler adds to the request's line in the log: ids. */
    logFields?: LogFields;
    /** Set by a handler whose call changed nothing worth a line, such as an idle poll. */
    isIdle?: boolean;
    /** Set by `authenticate` on management routes. */
    principal: Principal;
  };
}
