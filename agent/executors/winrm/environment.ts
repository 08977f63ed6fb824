import { checkVariables, type Environment } from "../shared/environment.ts";
import { invalidParams } from "../shared/failures.ts";
import { notForXml } from "./xml.ts";

/** What a remote shell is given at most, of its whole environment: `NAME=value` and a NUL each. */
const BLOCK_MAX_CHARS = 32_767;

/**
 * The variables for a remote shell; refuses what WS-Management or Windows cannot carry. An empty one is left out: Windows
 * knows none, and reading it gives the same.
 */
export function remoteEnvironment(values: Readonly<Environment>): Environment {
  checkVariables(values);
  const names = new Set<string>();
  let chars = 0;
  for (const [name, value] of Object.entries(values)) {
    const folded = name.toUpperCase();
    if (names.has(folded)) throw invalidParams(`Two values are named ${name}: Windows does not tell capitals apart.`);
    names.add(folded);
    const bad = notForXml(value);
    if (bad !== null) {
      const message = `The value of ${name} contains the character ${bad}, which WS-Management cannot carry. Pass it without, or encoded (base64).`;
      throw invalidParams(message);
    }
    chars += name.length + value.length + 2;
  }
  if (chars > BLOCK_MAX_CHARS) {
    const message = `The values have ${chars} characters together; the environment of a remote shell holds at most ${BLOCK_MAX_CHARS}. Pass less, or let the script fetch it.`;
    throw invalidParams(message);
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}
