import { afterAll, beforeAll, expect } from "bun:test";
import { connectionMatrix } from "../support/connection-matrix.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { beginJob, runJob, runUntilTimeOut } from "../support/run-job.ts";
import { TeamsWebhook } from "../support/teams-webhook.ts";

let webhook: TeamsWebhook;
beforeAll(async () => {
  webhook = await TeamsWebhook.start();
});
afterAll(() => webhook.stop());

const message = (text: string) => ({
  type: "teamchat" as const,
  action: "teamchat.sendMessage",
  params: { text },
  secrets: { webhookUrl: webhook.url },
});
const shown = (): string => JSON.stringify(webhook.cards);

connectionMatrix("teamchat", {
  action: {
    run: async () => {
      const result = await runJob(message("hello"));
      expect(result).toMatchObject({ status: "succeeded", output: { statusCode: 202 } });
      expect(shown()).toContain("hello");
      expect(webhook.problems).toEqual([]);
    },
  },
  "bad credentials": {
    run: async () => {
      const webhookUrl = webhook.url.replace(webhook.secret, "0123456789abcdef0123456789abcdef");
      const result = await runJob({ ...message("refused"), secrets: { webhookUrl } });
      expect(result).toMatchObject({ status: "failed", error: { code: "authentication_failed" } });
      expect(JSON.stringify(result)).not.toContain("0123456789abcdef");
      expect(shown()).not.toContain("refused");
    },
  },
  unreachable: {
    run: async () => {
      const webhookUrl = `http://127.0.0.1:${await freePort()}/webhookb2/0123456789abcdef`;
      const result = await runJob({ ...message("lost"), config: { webhookUrl }, secrets: null });
      expect(result).toMatchObject({ status: "failed", error: { code: "unreachable" } });
      expect(result.error?.message).toContain("Nothing was sent");
      expect(JSON.stringify(result)).not.toContain("webhookb2");
    },
  },
  "time-out": {
    run: async () => {
      const [before, asked] = [webhook.abandoned, webhook.requests.length];
      webhook.next("hang");
      const result = await runUntilTimeOut(
        message("too late"),
        "the request arrives",
        () => webhook.requests.length > asked,
      );
      expect(result).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
      expect(result.error?.message).toContain("may have been posted");
      await eventually("Teams sees the caller go", () => webhook.abandoned === before + 1);
    },
  },
  cancel: {
    run: async () => {
      const [before, asked] = [webhook.abandoned, webhook.requests.length];
      webhook.next("hang");
      const job = await beginJob(message("never mind"));
      await eventually("the request arrives", () => webhook.requests.length > asked);
      job.cancel();
      expect(await job.result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
      await eventually("Teams sees the caller go", () => webhook.abandoned === before + 1);
    },
  },
  "oversize output": {
    run: async () => {
      const incoming = await TeamsWebhook.start("incoming");
      incoming.next("oversize");
      const result = await runJob({ ...message("long answer"), secrets: { webhookUrl: incoming.url } });
      expect(result).toMatchObject({ status: "succeeded", output: { statusCode: 200, truncated: true } });
      expect(Buffer.byteLength(JSON.stringify(result.output))).toBeLessThan(524_288);
      expect(incoming.cards).toHaveLength(1);
      await incoming.stop();
    },
  },
  "connection test": {
    run: async () => {
      const posted = webhook.cards.length;
      const result = await runJob({ type: "teamchat", action: null, secrets: { webhookUrl: webhook.url } });
      expect(result).toMatchObject({ status: "succeeded", output: { ok: true } });
      expect(JSON.stringify(result.output?.["checks"])).toContain("was not tested");
      expect(webhook.cards).toHaveLength(posted);
      return [result.output?.["checks"]];
    },
  },
});
