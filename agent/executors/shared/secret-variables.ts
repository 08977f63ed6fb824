import type { Secrets } from "../../../schema/contract/credential.ts";
import { isVariableName, steersPrograms } from "../../../schema/contract/variable-name.ts";
import { type Environment, OWN_SYSTEM } from "./environment.ts";
import { ExecutorFailure } from "./failures.ts";
import { variableProblem } from "./variable-bounds.ts";

/**
 * A custom connection's secrets as environment variables of the same names
 * (docs/design/connections.md#secrets-for-scripts). A name that no variable can have is left out, and the connection
 * test reports it. Throws `invalid_credential` for names that change how programs are found or loaded, and for values
 * that no variable can carry.
 */
export function secretVariables(secrets: Secrets, connectionId: string): Environment {
  const problems = secretProblems(secrets);
  if (problems.length === 0)
    return Object.fromEntries(Object.entries(secrets).filter(([name]) => isVariableName(name)));
  const message = `The credential of connection ${connectionId} cannot be given to a script: ${problems.join("; ")}.`;
  throw new ExecutorFailure("invalid_credential", `${message} Deliver it again without that.`);
}

/** Why scripts cannot have these secrets: one sentence per problem, never with a value. */
export function secretProblems(secrets: Secrets): string[] {
  return Object.entries(secrets).flatMap(([name, value]) => {
    if (!isVariableName(name)) return [];
    if (steersPrograms(name, OWN_SYSTEM === "windows"))
      return [`the secret ${name} has a name that steers programs, such as PATH or LD_PRELOAD`];
    const problem = variableProblem(name, value, OWN_SYSTEM);
    return problem === null ? [] : [`the secret ${name} ${problem.message}`];
  });
}
