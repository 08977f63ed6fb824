/** How a call to the service failed. Only `refused` has a status. */
export type CallFailure = "unreachable" | "timed_out" | "stopped" | "redirected" | "invalid_answer" | "refused";

export interface CallErrorDetails {
  status?: number;
  /** The `code` of a problem answer. */
  code?: string;
  retryAfterMs?: number;
  cause?: unknown;
}

/** A failed call. The message is for the log. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly failure: CallFailure;
  readonly status: number | null;
  readonly code: string | null;
  readonly retryAfterMs: number | null;

  constructor(failure: CallFailure, message: string, details: CallErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.failure = failure;
    this.status = details.status ?? null;
    this.code = details.code ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
  }
}
