import type { Env } from "../env.ts";
import type { Deps } from "../services/deps.ts";
import type { Principal } from "./principal.ts";

/** What every Hono handler finds in its context. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    deps: Deps;
    requestId: string;
    /** Set by `authenticate` on management routes. */
    principal: Principal;
  };
}
