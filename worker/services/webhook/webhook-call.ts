import type { JsonValue } from "../../../schema/contract/json.ts";
import type { GateRequest } from "../ports.ts";
import type { SignedRequest } from "./signature.ts";

/** JSON, or a form of Slack as JSON. */
export interface ParsedBody {
  text: string;
  value: JsonValue;
  isForm?: true;
}

export interface WebhookCall extends SignedRequest {
  /** The bearer token; null without one. */
  bearer: string | null;
  /** The secret in the address; null without one. */
  addressSecret: string | null;
  /** The caller's address; null when it is unknown. Callers without an address are counted together. */
  address: string | null;
  /** Empty without the header. */
  idempotencyKey: string;
  /**
   * Parses the body within its limits, a form only when the sender may send one; undefined for an empty body. Throws a
   * ProblemError, as does `readBytes`.
   */
  parse(bytes: Uint8Array, mayBeForm: boolean): ParsedBody | undefined;
  sent: GateRequest["sent"];
}
