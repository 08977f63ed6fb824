import type { Environment } from "../shared/environment.ts";
import { ExecutorFailure, invalidParams } from "../shared/failures.ts";
import { checkVariables } from "../shared/variable-bounds.ts";
import { notForXml } from "./xml.ts";

/**
 * The variables for a remote shell. Refuses values that WS-Management or Windows cannot carry. An empty variable is
 * left out: Windows has none, and a read of a missing one gives the same result.
 */
export function remoteEnvironment(values: Readonly<Environment>): Environment {
  checkVariables(values, "windows");
  const names = new Set<string>();
  for (const [name, value] of Object.entries(values)) {
    const folded = name.toUpperCase();
    if (names.has(folded))
      throw invalidParams(`Two values are named ${name}: Windows ignores upper and lower case in names. Rename one.`);
    names.add(folded);
    const bad = notForXml(value);
    if (bad === null) continue;
    const message = `The value of ${name} contains the character ${bad}, which WS-Management cannot carry. Remove the character, or encode the value (base64).`;
    throw new ExecutorFailure("value_not_representable", message);
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}
