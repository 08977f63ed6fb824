import type { ConnectionCases } from "../connection-case.ts";
import { overHttp, SECRET } from "../credential-peer.ts";

export const cases: ConnectionCases = {
  config: { defaultChannel: "C024BE91L" },
  entry: { type: "chat" },
  changes: [],
  keeps: [{ defaultChannel: "C999BE91L" }],
  harmless: { defaultChannel: [["another channel", () => "C0ELSEWHERE"]] },
  peer: overHttp("chat.sendMessage", (url) => ({
    config: { defaultChannel: "C0INCIDENTS" },
    secrets: { botToken: SECRET },
    params: { text: "hello" },
    slackApiUrl: url,
  })),
};
