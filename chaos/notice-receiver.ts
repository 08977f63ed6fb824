import { createHmac } from "node:crypto";
import { webhookNotificationSchema } from "../schema/contract/notification.ts";
import { RULE_NAMES } from "./rules.ts";
import type { RuleName } from "./rules.ts";

export interface NoticeFact {
  /** The same in a repetition. */
  id: string;
  rule: RuleName;
  subject: string;
  text: string;
}

/** The receiver of signed notices, as Standard Webhooks describes it. It keeps every request. */
export interface NoticeReceiver {
  port: number;
  notices: NoticeFact[];
  /** Requests without a valid signature, or for no rule. */
  strangers: number;
  stop(): Promise<void>;
}

/** `secret`: the signing key in base64. */
export function startNoticeReceiver(secret: string): NoticeReceiver {
  const key = Buffer.from(secret, "base64");
  const receiver: Omit<NoticeReceiver, "port" | "stop"> = { notices: [], strangers: 0 };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const body = await request.text();
      const [, ruleName] = new URL(request.url).pathname.split("/");
      const rule = RULE_NAMES.find((name) => name === ruleName);
      const id = request.headers.get("webhook-id") ?? "";
      const signed = `${id}.${request.headers.get("webhook-timestamp") ?? ""}.${body}`;
      const signature = `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
      if (rule === undefined || request.headers.get("webhook-signature") !== signature) {
        receiver.strangers++;
        return new Response("the signature is wrong", { status: 401 });
      }
      const { data } = webhookNotificationSchema.parse(JSON.parse(body));
      receiver.notices.push({ id, rule, subject: data.subject ?? "", text: data.message });
      return new Response();
    },
  });
  return Object.assign(receiver, { port: Number(server.url.port), stop: () => server.stop(true) });
}
