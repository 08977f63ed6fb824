import type { Problem } from "../../schema/contract/problem.ts";
import { CommandRefused } from "../credentials/refused.ts";
import { EXIT } from "../exit-codes.ts";
import type { ExitCode } from "../exit-codes.ts";
import { describeError } from "../log.ts";
import { AGENT_VERSION } from "../version.ts";

/** The program at the recorded address did not prove that it is the agent. The token was not sent. */
export class NotProven extends CommandRefused {
  constructor(
    exitCode: ExitCode,
    readonly found: string,
    readonly advice: string,
    options?: ErrorOptions,
  ) {
    super(exitCode, `${found}: ${advice}`, options);
  }
}

export function unanswered(url: string, cause: unknown): NotProven {
  const found = `no agent answers at ${url} (${describeError(cause)})`;
  return new NotProven(EXIT.unavailable, found, "try again, or restart the agent", { cause });
}

/** For an answer without a valid proof. `code` is unverified: any program may have written it. */
export function withoutProof(url: string, code: Problem["code"] | null): NotProven {
  switch (code) {
    case "forbidden":
      return new NotProven(
        EXIT.notAllowed,
        `the program at ${url} refuses this token`,
        "leave ADMIN_TOKEN unset to use the file admin-token next to the vault, or set it to the agent's " +
          "token; if it is the agent's token already, another program listens at this address",
      );
    // The answer of an older agent, which has no such route.
    case "unauthorized":
      return new NotProven(
        EXIT.unavailable,
        `the program at ${url} cannot prove that it is the agent; agents of earlier versions cannot either`,
        `restart the agent with this version (${AGENT_VERSION})`,
      );
    case "rate_limit_exceeded":
      return new NotProven(
        EXIT.unavailable,
        `the program at ${url} received too many wrong tokens`,
        "try again in a minute, with the agent's ADMIN_TOKEN",
      );
    default:
      return new NotProven(
        EXIT.unavailable,
        `the program at ${url} did not prove that it is the agent, so neither the admin token nor a secret was sent to it`,
        "find the program that listens there and end it, then restart the agent",
      );
  }
}
