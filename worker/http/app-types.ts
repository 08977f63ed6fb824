import type { ProblemCode } from "../../schema/contract/problem.ts";
import type { Env } from "../env.ts";
import type { Deps } from "../services/deps.ts";
import type { LogFields } from "../services/log.ts";
import type { Principal } from "./principal.ts";

/** The context of every Hono handler. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    deps: Deps;
    requestId: string;
    /** The pattern of the endpoint's path; absent where there is none. The log shows it instead of the path. */
    route?: string;
    /** Ids that a handler adds to the request's log line. */
    logFields?: LogFields;
    /** The code of the problem in the answer, for the log. */
    problemCode?: ProblemCode;
    /** Set by a handler whose call changed nothing worth logging, such as an idle poll. */
    isIdle?: boolean;
    /** Set by `authenticate` on management routes. */
    principal: Principal;
  };
}
