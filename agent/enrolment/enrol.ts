import { CommandRefused } from "../credentials/refused.ts";
import { EXIT } from "../exit-codes.ts";
import { describeError } from "../log.ts";
import { CallError } from "../service/call-error.ts";
import { createServiceClient } from "../service-client.ts";

/** Exchanges an enrolment code for the agent's key, once. Throws CommandRefused; its message never contains the code. */
export async function enrol(apiUrl: string, code: string): Promise<string> {
  try {
    return (await createServiceClient({ apiUrl, apiKey: null }).enrol(code)).apiKey;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const exitCode = error.failure === "refused" ? EXIT.badInput : EXIT.unavailable;
    throw new CommandRefused(
      exitCode,
      `the enrolment code was not exchanged for a key: ${describeError(error)}${adviceFor(error)}`,
      { cause: error },
    );
  }
}

function adviceFor({ failure, status }: CallError): string {
  if (status === 401) return ". Copy the whole command again, and check that it is for this deployment.";
  if (status === 404) return ". The service is older than this agent: update it, or use the agent's key.";
  return failure === "refused"
    ? ""
    : ". Check the network and HTTPS_PROXY. If the code is refused the next time, create another one in Bellhop.";
}
