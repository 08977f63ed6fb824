import { SECRET_PARAMETER, holdsSecret } from "../../../schema/contract/webhook-trigger.ts";
import type { GateRequest } from "../ports.ts";

/**
 * A request's headers and parameters that templates may read: none that holds a secret. Any header of a proxy may repeat
 * the address, and the secret in it.
 */
export function sentNames(headers: Headers, address: string): GateRequest["sent"] {
  const { searchParams } = new URL(address);
  const secrets = searchParams.getAll(SECRET_PARAMETER).filter((secret) => secret !== "");
  const repeats = (value: string) => secrets.some((secret) => value.includes(secret));
  return {
    headers: [...headers].filter(([name, value]) => !holdsSecret(name) && !repeats(value)),
    query: [...searchParams].filter(([name]) => name !== SECRET_PARAMETER),
  };
}
