import { StatusBadge } from "../../../ui/status.tsx";
import type { AgentCredential } from "../../../../schema/contract/credential.ts";

type Shown = Pick<AgentCredential, "status" | "error">;

/**
 * The status of a credential. `pending` with an error is not a delivery in progress: the credential cannot be used until
 * a person delivers it again.
 */
export function CredentialBadge({ credential }: { credential: Shown }) {
  const { status } = credential;
  if (needsDelivery(credential)) return <StatusBadge status={status} color="yellow" label="deliver again" />;
  // In other places "delivered" is blue, because a delivered job has not ended.
  return <StatusBadge status={status} {...(status === "delivered" ? { color: "teal" } : {})} />;
}

function needsDelivery({ status, error }: Shown): boolean {
  return status === "pending" && error !== null;
}
