import { credentials } from "../../../strings/en/credentials.ts";
import { StatusBadge } from "../../../ui/status.tsx";
import type { AgentCredential } from "../../../../schema/contract/credential.ts";

type Shown = Pick<AgentCredential, "status" | "error"> & Partial<Pick<AgentCredential, "version">>;

/**
 * The status of a credential. `pending` with an error is not a delivery in progress: the credential cannot be used until
 * a person delivers it again.
 */
export function CredentialBadge({ credential }: { credential: Shown }) {
  const { status, version } = credential;
  if (status === "pending" && version === 0)
    return <StatusBadge status={status} label={credentials.statuses.noCredential} />;
  if (needsDelivery(credential))
    return <StatusBadge status={status} color="yellow" label={credentials.statuses.deliverAgain} />;
  // In other places "delivered" is blue, because a delivered job has not ended.
  return <StatusBadge status={status} {...(status === "delivered" ? { color: "teal" } : {})} />;
}

function needsDelivery({ status, error }: Shown): boolean {
  return status === "pending" && error !== null;
}
