/** What other folders may import of credentials. */
export { agentCredentials } from "./agent-credentials.ts";
export { orderSyncs } from "./order-syncs.ts";
export { recordSyncOutcome } from "./record-sync-outcome.ts";
export { reconcileReported } from "./reconcile-reported.ts";
export { approvedTarget, targetDigest, targetFor, wantedCredential } from "./wanted-credential.ts";
