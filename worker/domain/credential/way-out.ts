import type { TargetMismatch } from "./usable.ts";

/** Advice for a credential that an agent has and must not use. `credential` is the noun for it in the sentence. */
export function wayOut(mismatch: TargetMismatch | "bound_elsewhere", connectionId: string, credential: string): string {
  const bind =
    "test the connection, so that the agent sees its target, and then bind the credential on the agent's machine " +
    `(bellhop-agent credentials bind ${connectionId}).`;
  switch (mismatch) {
    case "unbound":
    case "bound_elsewhere":
      return `Deliver ${credential} again. Or ${bind}`;
    case "other_target":
      return `Deliver ${credential} again, or change the connection back. Or ${bind}`;
    // An agent that reports no target has no command to bind one.
    case "delivered_before":
      return `Deliver ${credential} again.`;
  }
}
