import { z } from "zod";
import type { JsonObject } from "../../schema/contract/json.ts";
import { notificationReceiverSchema } from "../../schema/contract/notification-receiver.ts";
import { notificationRuleSchema } from "../../schema/contract/notification-rule.ts";
import { eventually } from "./eventually.ts";
import { startHttpPeer } from "./http-peer.ts";
import { call, dataOf } from "./management-api.ts";
import { WorkflowBench } from "./workflow-bench.ts";

export const ORIGIN = "https://bellhop.example";

const noticeBody = z.object({
  data: z.object({ subject: z.string(), message: z.string(), url: z.string().nullish() }),
});

/** A real service, and a real HTTP server that gets the notices of its rules: a new one for each test. */
export class NoticeBench {
  peer = startHttpPeer();

  private constructor(readonly bench: WorkflowBench) {}

  static async start(): Promise<NoticeBench> {
    const bench = await WorkflowBench.start({
      bindings: {
        PUBLIC_URL: ORIGIN,
        NOTIFY_WEBHOOK_SECRET: `whsec_${btoa("first-key-of-thirty-two-bytes-ab")}`,
        NOTIFY_WEBHOOK_ALLOW_PRIVATE: "true",
      },
    });
    return new NoticeBench(bench);
  }

  async stop(): Promise<void> {
    await this.peer.stop();
    await this.bench.stop();
  }

  async renewPeer(): Promise<void> {
    await this.peer.stop();
    this.peer = startHttpPeer();
  }

  /** A rule that sends to the test's own server, each notice as a message. */
  async rule(fields: JsonObject): Promise<string> {
    const { bellhop } = this.bench;
    const receiver = { name: crypto.randomUUID(), type: "webhook", to: `${this.peer.url}/hook` };
    const { id } = await dataOf(
      await call(bellhop, "POST", "/notification-receivers", receiver),
      201,
      notificationReceiverSchema,
    );
    const body = { name: crypto.randomUUID(), receivers: [id], groupMinutes: 0, ...fields };
    return (await dataOf(await call(bellhop, "POST", "/notification-rules", body), 201, notificationRuleSchema)).id;
  }

  received() {
    return this.peer.requests.map(({ body }) => noticeBody.parse(JSON.parse(body)).data);
  }

  subjects(): string[] {
    return this.received().map(({ subject }) => subject);
  }

  async tick(): Promise<void> {
    await this.bench.bellhop.worker.tick();
  }

  /** A tick so many minutes from now. */
  async tickIn(minutes: number): Promise<void> {
    await this.bench.bellhop.worker.tick(new Date(Date.now() + minutes * 60_000));
  }

  arrives(subject: string) {
    return eventually(`the notice ${subject}`, async () => {
      await this.tick();
      return this.received().find((one) => one.subject === subject);
    });
  }
}
