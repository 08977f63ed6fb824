import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import type { WakeServerOptions } from "../support/wake-server.ts";
import type { WakeLimits } from "../../agent/wake/connection.ts";
import { startWake } from "./wake-parts.ts";

function open(limits: Partial<WakeLimits>, options?: WakeServerOptions) {
  const { server, parts } = startWake({ limits }, options);
  parts.activity.pollAfterSeconds = 60;
  parts.socket.polled();
  return { server, parts };
}

test("a socket is kept while its pings are answered", async () => {
  const { server, parts } = open({ pingEveryMs: 20 });
  await eventually("pings", () => server.heard.length >= 5);
  expect(new Set(server.heard)).toEqual(new Set(["ping"]));
  expect({ opened: server.opened, losses: parts.losses }).toEqual({ opened: 1, losses: 0 });
});

test("a socket is pinged also while the service sends messages without pause", async () => {
  const talking: ReturnType<typeof setInterval>[] = [];
  const onOpen: WakeServerOptions["onOpen"] = (peer) => talking.push(setInterval(() => peer.send("poll"), 2));
  const { server } = open({ pingEveryMs: 50 }, { onOpen });
  await eventually("pings", () => server.heard.length >= 3);
  for (const timer of talking) clearInterval(timer);
});

test("a socket with unanswered pings is reopened, and meanwhile the agent polls as often as without a socket", async () => {
  const { server, parts } = open({ pingEveryMs: 20, pongWithinMs: 20 }, { answersPings: false });
  await eventually("the next connection", () => server.opened >= 2);
  expect(parts.said("the service stopped answering")).not.toEqual([]);
  expect({ losses: parts.losses, after: parts.activity.pollAfterSeconds }).toMatchObject({ losses: 1, after: null });
});
