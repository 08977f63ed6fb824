import { verifyFingerprintSchema } from "../../../schema/contract/credential.ts";
import type { AgentView } from "../../../schema/contract/management.ts";
import type { Deps } from "../deps.ts";
import { keyFingerprint } from "../key-fingerprint.ts";
import { parseInput } from "../parse.ts";
import { ProblemError } from "../problem.ts";
import { changeAgent } from "./change-agent.ts";
import { viewAgent } from "./view.ts";

/**
 * Records who compared an agent's key with the fingerprint on its machine: a hint for the team, and no condition of a
 * delivery (docs/design/credentials.md#compared-fingerprints). A repeated call keeps the first time.
 */
export async function verifyFingerprint(deps: Deps, actor: string, id: string, input: unknown): Promise<AgentView> {
  const { fingerprint } = parseInput(verifyFingerprintSchema, input);
  const row = await changeAgent(deps, id, ({ name, publicKey, fingerprintVerification: former }) => {
    if (publicKey === null) {
      throw new ProblemError(
        "conflict",
        `The agent ${name} has no key now. Start it, so that it registers one, then compare the fingerprint again.`,
      );
    }
    if (fingerprint !== keyFingerprint(publicKey)) {
      throw new ProblemError(
        "conflict",
        `The key of the agent ${name} has another fingerprint. Read the agent again, and compare with what it prints on its machine.`,
      );
    }
    if (former?.fingerprint === fingerprint && former.by === actor) return null;
    return {
      changes: { fingerprintVerification: { fingerprint, by: actor, at: deps.now() } },
      audit: { actor, verb: "verify-fingerprint", detail: { name, fingerprint } },
    };
  });
  return viewAgent(deps, row);
}
