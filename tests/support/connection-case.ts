import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import type { CredentialPeerKind } from "./credential-peer.ts";

/** Changed values of some fields; undefined removes the field. */
export type Change = Readonly<Record<string, JsonValue | undefined>>;

export interface TargetCase {
  readonly config: JsonObject;
  /** Each leads to another target, which agents refuse. */
  readonly changes: readonly Change[];
}

/** The facts about a connection type that tests need in addition to its descriptor's example. */
export interface ConnectionCases extends TargetCase {
  /** The target of `config`; null for a type without a credential. */
  readonly entry: JsonObject | null;
  /** Each leaves the target of `config` unchanged. */
  readonly keeps: readonly Change[];
  readonly otherTargets?: readonly TargetCase[];
  /** Null for a type whose credential stays in the agent. */
  readonly peer: CredentialPeerKind | null;
  /**
   * By field: changes after which the credential still goes to the peer. Every field without an effect on the target
   * needs one.
   */
  readonly harmless?: Readonly<Record<string, readonly HarmlessChange[]>>;
}
type HarmlessChange = readonly [what: string, to: (value: JsonValue | undefined) => JsonValue];

export const NO_CREDENTIAL: ConnectionCases = { config: {}, entry: null, changes: [], keeps: [], peer: null };
export const IN_BRACKETS: HarmlessChange = ["brackets", (value) => `[${String(value)}]`];
