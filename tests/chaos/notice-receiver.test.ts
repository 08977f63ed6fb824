import { afterAll, expect, test } from "bun:test";
import { startNoticeReceiver } from "../../chaos/notice-receiver.ts";
import { signedHeaders } from "../support/webhook-signers.ts";

const KEY = Buffer.from("the key that signs notices").toString("base64");
const BODY = JSON.stringify({
  type: "bellhop.notification",
  timestamp: "2026-01-01T00:00:00.000Z",
  data: { message: "Execution: exe_1", subject: "failed", executionId: null, workflowId: null, nodeRunId: null },
});

const receiver = startNoticeReceiver(KEY);
afterAll(() => receiver.stop());

async function send(path: string, body: string, key: string): Promise<number> {
  const verification = { type: "hmac", scheme: "standard-webhooks" } as const;
  const headers = signedHeaders(verification, `whsec_${key}`, BODY, { id: "msg_1" });
  return (await fetch(`http://127.0.0.1:${receiver.port}${path}`, { method: "POST", headers, body })).status;
}

test("the receiver of notices keeps what is signed, and counts everything else", async () => {
  expect(await send("/each/secret", BODY, KEY)).toBe(200);
  expect(await send("/each/secret", `${BODY} `, KEY)).toBe(401);
  expect(await send("/each/secret", BODY, Buffer.from("another key").toString("base64"))).toBe(401);
  expect(await send("/unknown/secret", BODY, KEY)).toBe(401);
  expect(receiver.notices).toEqual([{ id: "msg_1", rule: "each", subject: "failed", text: "Execution: exe_1" }]);
  expect(receiver.strangers).toBe(3);
});
