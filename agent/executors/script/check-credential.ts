import type { Secrets } from "../../../schema/contract/credential.ts";
import { isVariableName } from "../../../schema/contract/variable-name.ts";
import type { ConnectionCheck } from "../executor.ts";
import { secretProblems } from "../shared/secret-variables.ts";

/** Checks that this agent has a custom connection's secrets, and that scripts can get all. Shows names only. */
export function checkCredential(secrets: Secrets | null): ConnectionCheck {
  const names = Object.keys(secrets ?? {});
  if (secrets === null || names.length === 0) {
    const detail = "This agent's vault has no credential for the connection. Deliver its secrets to this agent.";
    return { name: "Credential", ok: false, detail };
  }
  const nameless = names
    .filter((secret) => !isVariableName(secret))
    .map((secret) => `the secret "${secret}" cannot be passed to scripts, because no variable can have this name`);
  const problems = [...nameless, ...secretProblems(secrets)];
  if (problems.length > 0) {
    const detail = `${problems.join("; ")}. Deliver the credential again, under names of letters, digits and _.`;
    return { name: "Credential", ok: false, detail };
  }
  return { name: "Credential", ok: true, detail: `Scripts find: ${names.join(", ")}.` };
}
