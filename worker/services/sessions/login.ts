import { loginSchema } from "../../../schema/contract/people.ts";
import { findUserByEmail } from "../../store/users.ts";
import type { Deps } from "../deps.ts";
import { parseInput } from "../parse.ts";
import { passwordMatches } from "../people/index.ts";
import { ProblemError } from "../problem.ts";
import { Comparisons } from "./comparisons.ts";
import { checkKnownDevice, makeKnownDevice } from "./known-device.ts";
import { admitLogin, clearLoginFailures, recordLoginFailure } from "./login-limit.ts";
import { startSession } from "./start.ts";
import type { StartedSession } from "./start.ts";

export interface LoginCaller {
  /** Null when it is unknown. */
  address: string | null;
  /** The cookie of a browser that may have signed in before. */
  deviceCookie: string | null;
}

/** One per isolate. */
const comparisons = new Comparisons();

/** Signs in with email and password. An unknown email takes as long as a wrong password, and is answered the same. */
export async function login(
  deps: Deps,
  caller: LoginCaller,
  input: unknown,
): Promise<StartedSession & { deviceCookie: string }> {
  const { email, password } = parseInput(loginSchema, input);
  const { secret } = deps.settings;
  const knownDevice = checkKnownDevice(secret, email, caller.deviceCookie);
  const attempt = await admitLogin(deps, email, { address: caller.address, knownDevice });
  const user = await findUserByEmail(deps.db, email);
  const compare = () => passwordMatches(password, user?.passwordHash ?? null);
  // A known browser has a separate limit, so a flood does not delay it.
  const matches = await (knownDevice === null ? comparisons.run(deps.now(), compare) : compare());
  const started =
    user !== null && matches && user.enabled
      ? await startSession(
          deps,
          user,
          { method: "password", address: caller.address },
          clearLoginFailures(deps, attempt),
        )
      : null;
  if (started === null) {
    await recordLoginFailure(deps, email, caller.address, {
      reason: matches && user?.enabled === false ? "disabled" : "wrong email or password",
      ...(user === null ? {} : { userId: user.id }),
    });
    throw new ProblemError("unauthorized", "The email or the password is wrong, or the account is disabled.", {
      headers: { "WWW-Authenticate": "Bearer" },
    });
  }
  const deviceCookie = knownDevice === null ? makeKnownDevice(secret, email) : (caller.deviceCookie ?? "");
  return { ...started, deviceCookie };
}
