import { afterAll, beforeAll, expect } from "bun:test";
import { chatJob } from "../support/chat-jobs.ts";
import { connectionMatrix } from "../support/connection-matrix.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { beginJob, runJob, runUntilTimeOut } from "../support/run-job.ts";
import { SlackApi } from "../support/slack-api.ts";

let slack: SlackApi;
beforeAll(async () => {
  slack = await SlackApi.start();
});
afterAll(() => slack.stop());

const message = (text: string) => ({
  type: "chat" as const,
  action: "chat.sendMessage",
  params: { text },
  ...chatJob(slack),
});
const texts = (): string[] => slack.messages("C0INCIDENTS").map(({ text }) => text);

connectionMatrix("chat", {
  action: {
    run: async () => {
      const result = await runJob(message("hello"));
      expect(result).toMatchObject({ status: "succeeded", output: { statusCode: 200, channel: "C0INCIDENTS" } });
      expect(slack.messages("C0INCIDENTS").at(-1)).toMatchObject({ text: "hello", ts: String(result.output?.["ts"]) });
    },
  },
  "bad credentials": {
    run: async () => {
      const result = await runJob({ ...message("refused"), secrets: { botToken: "xoxb-unknown" } });
      expect(result).toMatchObject({ status: "failed", error: { code: "authentication_failed" } });
      expect(result.error?.message).toContain("invalid_auth");
      expect(texts()).not.toContain("refused");
    },
  },
  unreachable: {
    run: async () => {
      const result = await runJob({ ...message("lost"), slackApiUrl: `http://127.0.0.1:${await freePort()}/api` });
      expect(result).toMatchObject({ status: "failed", error: { code: "unreachable" } });
      expect(result.error?.message).toContain("Nothing was sent");
    },
  },
  "time-out": {
    run: async () => {
      const [before, asked] = [slack.abandoned, slack.requests.length];
      slack.next("hang");
      const result = await runUntilTimeOut(
        message("too late"),
        "the request arrives",
        () => slack.requests.length > asked,
      );
      expect(result).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
      expect(result.error?.message).toContain("may have been posted");
      await eventually("Slack sees the caller go", () => slack.abandoned === before + 1);
    },
  },
  cancel: {
    run: async () => {
      const [before, asked] = [slack.abandoned, slack.requests.length];
      slack.next("hang");
      const job = await beginJob(message("never mind"));
      await eventually("the request arrives", () => slack.requests.length > asked);
      job.cancel();
      expect(await job.result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
      await eventually("Slack sees the caller go", () => slack.abandoned === before + 1);
    },
  },
  "oversize output": {
    run: async () => {
      slack.next("oversize");
      const result = await runJob(message("long answer"));
      expect(result).toMatchObject({ status: "succeeded", output: { truncated: true, channel: "C0INCIDENTS" } });
      expect(Buffer.byteLength(JSON.stringify(result.output))).toBeLessThan(524_288);
      expect(texts()).toContain("long answer");
    },
  },
  "connection test": {
    run: async () => {
      const posted = texts().length;
      const result = await runJob({ type: "chat", action: null, ...chatJob(slack) });
      expect(result).toMatchObject({ status: "succeeded", output: { ok: true } });
      expect(JSON.stringify(result.output?.["checks"])).toContain("bellhop of Acme");
      expect(texts()).toHaveLength(posted);
      return [result.output?.["checks"]];
    },
  },
});
