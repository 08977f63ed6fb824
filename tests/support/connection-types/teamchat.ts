import type { ConnectionCases } from "../connection-case.ts";
import { overHttp, SECRET } from "../credential-peer.ts";

export const cases: ConnectionCases = {
  config: {},
  entry: { type: "teamchat" },
  changes: [],
  keeps: [{ webhookUrl: "https://example.com/hook" }],
  harmless: { webhookUrl: [["an address beside the one in the vault", () => "http://127.0.0.1:1/webhook"]] },
  peer: overHttp("teamchat.sendMessage", (url) => ({
    config: {},
    secrets: { webhookUrl: `${url}/workflows?sig=${SECRET}` },
    params: { text: "hello" },
  })),
};
