import type { JsonValue } from "../../../schema/contract/json.ts";
import type { GateRequest } from "../ports.ts";
import type { SignedRequest } from "./signature.ts";

export interface WebhookCall extends SignedRequest {
  /** The bearer token; null without one. */
  bearer: string | null;
  /** The secret in the address; null without one. */
  addressSecret: string | null;
  /** The caller's address; null when it is unknown. Callers without an address are counted together. */
  address: string | null;
  /** Empty without the header. */
  idempotencyKey: string;
  /** Parses the body within its limits; undefined for an empty one. Throws a ProblemError, as does `readBytes`. */
  parse(bytes: Uint8Array): { text: string; value: JsonValue } | undefined;
  sent: GateRequest["sent"];
}
