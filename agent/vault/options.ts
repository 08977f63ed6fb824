import type { Log } from "../log.ts";
import type { ResolveTarget } from "./resolve-target.ts";

export interface VaultOptions {
  path: string;
  apiKey: string;
  log: Log;
  /** Epoch milliseconds. */
  now: () => number;
  /** The slow derivation waits for this: at the start of the process there are more urgent things. */
  mayDerive?: Promise<void>;
  /** Settles when the service has taken the key: a mistyped one must not cost the vault. */
  keyAccepted?: Promise<void>;
  /** Credentials came, went or changed, or the vault was opened; `isOpen` is false for the last time then. */
  onChange: () => void;
  /** The public key is another one than when the vault was opened: the service has to be told. */
  onNewKeyPair: () => void;
  /** What only this agent knows of a target, by its entries (`Binding`). Throws TargetUnresolved. */
  resolveTarget: ResolveTarget;
}
