import { decodeProtectedHeader } from "jose";
import { z } from "zod";
import type { FieldError } from "../../../schema/contract/problem.ts";
import type { RecipientRow } from "../../store/credentials.ts";
import { keyFingerprint } from "../key-fingerprint.ts";

export interface SealedInput {
  agentId: string;
  jwe: string;
}

const COMPACT = /^[A-Za-z0-9_-]+\.\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/u;
const epkSchema = z.object({ kty: z.literal("EC"), crv: z.literal("P-256"), x: z.string(), y: z.string() });
const SEAL_AGAIN = "ask for the recipients again and seal it to the key that they name";

/**
 * Every problem of a delivery that the service can see. The service has no key, so only the agent can judge the
 * content. Anything that is not sealed must be refused here.
 */
export function sealedErrors(sealed: readonly SealedInput[], recipients: readonly RecipientRow[]): FieldError[] {
  const byId = new Map(recipients.map((recipient) => [recipient.agent.id, recipient.agent]));
  const seen = new Set<string>();
  return sealed.flatMap(({ agentId, jwe }, at): FieldError[] => {
    const problem = (field: string, message: string) => [{ path: `sealed.${at}.${field}`, message }];
    const agent = byId.get(agentId);
    if (seen.has(agentId)) return problem("agentId", "is named twice: seal one credential to each agent");
    seen.add(agentId);
    if (agent === undefined) {
      return problem("agentId", "is not one of the connection's agents: GET …/recipients lists them");
    }
    if (agent.publicKey === null) {
      return problem(
        "agentId",
        "has no public key to encrypt for: start the agent once with its present API key, then deliver",
      );
    }
    const wrong = formProblem(jwe, keyFingerprint(agent.publicKey));
    return wrong === null ? [] : problem("jwe", wrong);
  });
}

/** The problem with the outer form of a compact JWE; null when it is fine. Never quotes the JWE. */
function formProblem(jwe: string, fingerprint: string): string | null {
  const must = "must be a compact JWE with alg ECDH-ES and enc A256GCM, sealed to the agent's key";
  if (!COMPACT.test(jwe)) return must;
  let header;
  try {
    header = decodeProtectedHeader(jwe);
  } catch {
    return must;
  }
  const { alg, enc, epk, zip, kid } = header;
  if (alg !== "ECDH-ES" || enc !== "A256GCM" || zip !== undefined) return must;
  if (!epkSchema.safeParse(epk).success) return must;
  return kid === undefined || kid === fingerprint ? null : `is sealed to another key of this agent: ${SEAL_AGAIN}`;
}
