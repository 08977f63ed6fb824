import { StatusBadge } from "../../../ui/status.tsx";
import type { AgentCredential } from "../../../../schema/contract/credential.ts";

type Shown = Pick<AgentCredential, "status" | "error">;

/**
 * The status of a credential. `pending` with an error is no delivery that is under way: the credential cannot be used
 * until a person delivers it again.
 */
export function CredentialBadge({ credential }: { credential: Shown }) {
  const { status } = credential;
  if (needsDelivery(credential)) return <StatusBadge status={status} color="yellow" label="deliver again" />;
  // Blue elsewhere, where a delivered job is still under way.
  return <StatusBadge status={status} {...(status === "delivered" ? { color: "teal" } : {})} />;
}

function needsDelivery({ status, error }: Shown): boolean {
  return status === "pending" && error !== null;
}
