import type { Log } from "../log.ts";
import type { ResolveTarget } from "./resolve-target.ts";

export interface VaultOptions {
  path: string;
  apiKey: string;
  log: Log;
  /** Epoch milliseconds. */
  now: () => number;
  /** The slow derivation waits for this, so that it does not delay the start of the agent. */
  mayDerive?: Promise<void>;
  /** Settles when the service has accepted the key: with a mistyped key the vault must not be moved aside. */
  keyAccepted?: Promise<void>;
  /** Credentials changed, or the vault is being opened: `isOpen` is still false in that call. */
  onChange: () => void;
  /** The public key has changed since the vault was opened, and has to be reported to the service. */
  onNewKeyPair: () => void;
  /** Resolves what only this agent knows of a target's entries (`Binding`). Throws TargetUnresolved. */
  resolveTarget: ResolveTarget;
}
