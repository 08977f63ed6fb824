import { described, object } from "./shapes.ts";

const text = { type: "string" };
const message = { "channel!": text, text, blocks: { type: "array", items: { type: "object" } } };

/** Methods of Slack's Web API that the actions call, with their arguments (https://docs.slack.dev/reference/methods). */
export const SLACK = described({
  "GET /api/auth.test": {},
  "GET /api/conversations.info": { query: { channel: text } },
  "POST /api/chat.postMessage": { body: object({ ...message, thread_ts: text }) },
  "POST /api/chat.update": { body: object({ ...message, "ts!": text }) },
  "POST /api/reactions.add": { body: object({ "channel!": text, "timestamp!": text, "name!": text }) },
});
