import { expect, test } from "bun:test";
import type { ChannelAnswer } from "../../../worker/domain/notification/answer.ts";
import { exchange } from "../../../worker/services/notifications/http-exchange.ts";
import { sendOnce } from "../../../worker/services/notifications/send-once.ts";
import type { AttemptControl } from "../../../worker/services/notifications/prepared.ts";

const ACCEPTED = { type: "accepted", statusCode: 250, detail: "ok", messageId: null } as const;

function delivery(send: (attempt: AttemptControl) => Promise<ChannelAnswer>) {
  const target = { channel: "email", to: ["a@example.com"] } as const;
  return { target, send: (_settled: ReadonlySet<string>, attempt: AttemptControl) => send(attempt) };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

test("an attempt without a handover is aborted at its limit, and may no longer hand its message over", async () => {
  let noted = 0;
  const slow = delivery(async ({ signal, noteHandover }) => {
    await aborted(signal);
    await noteHandover();
    return ACCEPTED;
  });
  const noteHandover = async () => (noted += 1);
  expect(await sendOnce(slow, new Set(), { limitMs: 10, noteHandover })).toMatchObject({ type: "unknown" });
  expect(noted).toBe(0);
});

test("an attempt that has handed its message over gets the rest of the node's time", async () => {
  const limitMs = 10;
  const slow = delivery(async ({ signal, noteHandover }) => {
    await noteHandover();
    await new Promise((resolve) => setTimeout(resolve, 5 * limitMs));
    return signal.aborted ? { type: "unknown", detail: "" } : ACCEPTED;
  });
  expect(await sendOnce(slow, new Set(), { limitMs, noteHandover: async () => 60_000 })).toEqual(ACCEPTED);
});

test("an attempt that is aborted while its handover is recorded sends nothing", async () => {
  let sent = false;
  const slow = delivery(async ({ noteHandover }) => {
    await noteHandover();
    sent = true;
    return ACCEPTED;
  });
  const noteHandover = () => new Promise<number>((resolve) => setTimeout(() => resolve(60_000), 50));
  expect(await sendOnce(slow, new Set(), { limitMs: 10, noteHandover })).toMatchObject({ type: "unknown" });
  expect(sent).toBe(false);
});

test("an answer whose body never ends counts by its status, with the received part of the body", async () => {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode("begun")),
        }),
        { status: 202 },
      ),
  });
  const request = { method: "POST", url: server.url.href, headers: {}, body: "{}" } as const;
  const answer = await exchange(request, new AbortController().signal);
  expect(answer).toMatchObject({ status: 202, text: "begun" });
  await server.stop(true);
});
