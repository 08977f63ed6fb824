import { SECRET_PARAMETER, holdsSecret } from "../../../schema/contract/webhook-trigger.ts";
import type { GateRequest } from "../ports.ts";

/** A request's headers and parameters that templates may read: none that holds a secret. */
export function sentNames(headers: Headers, address: string): GateRequest["sent"] {
  const { searchParams } = new URL(address);
  return {
    headers: [...headers].filter(([name]) => !holdsSecret(name)),
    query: [...searchParams].filter(([name]) => name !== SECRET_PARAMETER),
  };
}
