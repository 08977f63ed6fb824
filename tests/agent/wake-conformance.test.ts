import { beforeEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import { SESSION_HEADER, jobsResponseSchema } from "../../schema/contract/agent.ts";
import { jobsPath } from "../support/agent-client.ts";
import { atBothServices, expectProblem } from "../support/agent-places.ts";
import { eventually } from "../support/eventually.ts";
import { WakeFrames } from "../support/wake-frames.ts";

/** The wake socket. The cases run against the fake service of the agent's tests and the real one in workerd. */
atBothServices((here) => {
  describe("the wake socket", () => {
    beforeEach(() => here.agent.register());

    const polled = async () => {
      const answer = await here.agent.send("GET", jobsPath());
      return z.object({ data: jobsResponseSchema }).parse(await answer.json()).data;
    };

    test("answers ping, and closes with 1008 on any other message", async () => {
      const socket = await WakeFrames.open(here.agent);
      socket.send("ping");
      await socket.saidLast("pong");
      socket.send("hello");
      await socket.saidLast("close 1008");
      expect(socket.said).toEqual(["pong", "close 1008"]);
    });

    test("sends poll for a job and for its cancel", async () => {
      const socket = await WakeFrames.open(here.agent);
      const job = await here.delivered();
      await eventually("the first message", () => socket.said.length === 1);
      await here.place.cancel(job.id);
      await eventually("the second message", () => socket.said.length === 2);
      expect(socket.said).toEqual(["poll", "poll"]);
    });

    test.each([
      ["another process registers", () => here.otherProcess()],
      ["the agent opens another socket", () => WakeFrames.open(here.agent)],
      ["the agent is disabled", () => here.place.setEnabled(false)],
    ])("sends poll and closes with 4409 when %s", async (_what, happens) => {
      const socket = await WakeFrames.open(here.agent);
      await happens();
      await socket.saidLast("close 4409");
      expect(socket.said).toEqual(["poll", "close 4409"]);
    });

    test("stays open when the same process registers again", async () => {
      const socket = await WakeFrames.open(here.agent);
      await here.agent.register();
      socket.send("ping");
      await socket.saidLast("pong");
      expect(socket.said).toEqual(["pong"]);
    });

    test("makes polls carry pollAfterSeconds while it is open", async () => {
      expect(await polled()).not.toHaveProperty("pollAfterSeconds");
      const socket = await WakeFrames.open(here.agent);
      expect(await polled()).toHaveProperty("pollAfterSeconds", 60);
      await here.place.enqueue();
      expect(await polled()).toHaveProperty("pollAfterSeconds", 60);
      socket.cut();
      await eventually("polls without it", async () => (await polled()).pollAfterSeconds === undefined);
    });

    test.each([
      ["without an upgrade", { Upgrade: "" }, 400, "invalid_request"],
      ["with a wrong key", { Authorization: "Bearer x" }, 401, "unauthorized"],
      ["without a session", { [SESSION_HEADER]: "" }, 409, "register_again"],
    ])("is refused %s", async (_how, headers, status, code) => {
      await expectProblem(
        here.agent.send("GET", "/wake", undefined, { Upgrade: "websocket", ...headers }),
        status,
        code,
      );
    });

    test("is refused to a superseded process", async () => {
      await here.otherProcess();
      await expectProblem(here.agent.send("GET", "/wake", undefined, { Upgrade: "websocket" }), 409, "superseded");
    });
  });
});
