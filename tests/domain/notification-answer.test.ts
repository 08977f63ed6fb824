import { describe, expect, test } from "bun:test";
import { judgeAnswer, retryDelayMs } from "../../worker/domain/notification/answer.ts";

function answered(protocol: "http" | "smtp", statusCode: number, login = false) {
  return { type: "refused", protocol, statusCode, detail: "Sorry", retryAfterMs: null, login } as const;
}

describe("whether a notification is attempted again", () => {
  test.each([
    ["webhook", 429, "retry", "unavailable"],
    ["webhook", 500, "retry", "unavailable"],
    ["webhook", 503, "retry", "unavailable"],
    ["webhook", 408, "retry", "unavailable"],
    ["webhook", 400, "failed", "rejected"],
    ["webhook", 404, "failed", "rejected"],
    ["webhook", 410, "failed", "rejected"],
    ["webhook", 307, "failed", "rejected"],
    ["email", 422, "failed", "rejected"],
    ["sms", 429, "retry", "unavailable"],
    ["sms", 400, "failed", "rejected"],
    // A gateway timed out, but the provider behind it may have sent the message.
    ["sms", 504, "lost", "outcome_unknown"],
    ["sms", 500, "lost", "outcome_unknown"],
    ["sms", 502, "lost", "outcome_unknown"],
    // Without the provider's own error, a proxy may have answered.
    ["sms", 503, "lost", "outcome_unknown"],
    ["sms", 408, "lost", "outcome_unknown"],
    ["sms", 524, "lost", "outcome_unknown"],
    ["webhook", 504, "retry", "unavailable"],
  ] as const)("%s over HTTP, %i: %s, %s", (channel, status, next, code) => {
    expect(judgeAnswer(channel, answered("http", status), channel === "sms")).toMatchObject({ next, error: { code } });
  });

  test.each([
    [421, "retry", "unavailable"],
    [450, "retry", "unavailable"],
    [454, "retry", "unavailable"],
    [500, "failed", "rejected"],
    [550, "failed", "rejected"],
    [554, "failed", "rejected"],
  ] as const)("a mail server's %i: %s, %s", (reply, next, code) => {
    expect(judgeAnswer("email", answered("smtp", reply), true)).toMatchObject({ next, error: { code } });
  });

  test("a refused login is not tried again, and the error names the secrets to set, on Cloudflare and on one machine", () => {
    const verdict = judgeAnswer("sms", answered("http", 401, true), true);
    expect(verdict).toMatchObject({ next: "failed", error: { code: "authentication_failed" } });
    expect(verdict.error.message).toContain(
      'set NOTIFY_SMS_ACCOUNT_SID and NOTIFY_SMS_AUTH_TOKEN again: on Cloudflare with "wrangler secret put", on one machine in /etc/bellhop/bellhop.env',
    );
  });

  test("a mail server that cannot check logins now is tried again, and the error does not blame the password", () => {
    const verdict = judgeAnswer("email", answered("smtp", 454, true), true);
    expect(verdict).toMatchObject({ next: "retry", error: { code: "authentication_failed" } });
    expect(verdict.error.message).not.toContain("NOTIFY_SMTP_URL");
  });

  test("a text message provider whose own error code says that it is too busy is tried again", () => {
    const answer = { ...answered("http", 503), providerError: true };
    expect(judgeAnswer("sms", answer, true)).toMatchObject({ next: "retry", error: { code: "unavailable" } });
    const fault = { ...answered("http", 500), providerError: true };
    expect(judgeAnswer("sms", fault, true)).toMatchObject({ next: "lost", error: { code: "outcome_unknown" } });
  });

  test("without an answer, a message is resent if the receiver would recognize it, never after handover", () => {
    const unknown = { type: "unknown", detail: "It took too long." } as const;
    for (const channel of ["email", "sms", "webhook"] as const) {
      expect(judgeAnswer(channel, unknown, false).next).toBe("retry");
      expect(judgeAnswer(channel, unknown, true)).toMatchObject({ next: "lost", error: { code: "outcome_unknown" } });
    }
    expect(judgeAnswer("email", unknown, true).error.message).toContain(
      "Check whether it arrived before you send it again",
    );
  });

  test("every channel tries again when nothing was sent", () => {
    for (const channel of ["email", "sms", "webhook"] as const) {
      const verdict = judgeAnswer(channel, { type: "unreachable", detail: "No connection" }, false);
      expect(verdict).toMatchObject({ next: "retry", error: { code: "unreachable" } });
    }
  });
});

test("a receiver that asks for a pause of days gets a day", () => {
  const withRetryAfter = (retryAfterMs: number) => ({ ...answered("http", 503), retryAfterMs });
  expect(judgeAnswer("webhook", withRetryAfter(5_000), false)).toMatchObject({ retryAfterMs: 5_000 });
  expect(judgeAnswer("webhook", withRetryAfter(99_999_999_000), false)).toMatchObject({ retryAfterMs: 86_400_000 });
});

test("pauses grow to a minute, and part of each is random", () => {
  expect([1, 2, 3, 4, 5, 50].map((attempts) => retryDelayMs(attempts, 0, 60_000))).toEqual([
    1_000, 4_000, 16_000, 60_000, 60_000, 60_000,
  ]);
  expect(retryDelayMs(3, 0.999, 60_000)).toBeGreaterThan(11_999);
});
