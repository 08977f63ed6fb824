import type { ConnectionCases } from "../connection-case.ts";
import { overHttp, SECRET } from "../credential-peer.ts";

export const cases: ConnectionCases = {
  config: { serverUrl: "https://acme.atlassian.net", email: "ops@example.com" },
  entry: { type: "ticketing", serverUrl: "https://acme.atlassian.net", email: "ops@example.com" },
  changes: [
    { serverUrl: "https://evil.example" },
    { serverUrl: "https://evil.atlassian.net" },
    { serverUrl: "http://acme.atlassian.net" },
    { email: "other@example.com" },
  ],
  keeps: [{ serverUrl: "https://ACME.atlassian.net:443/" }],
  harmless: { serverUrl: [["a slash and a fragment", (value) => `${String(value)}/#part`]] },
  peer: overHttp("ticketing.addComment", (url) => ({
    config: { serverUrl: url, email: "ops@shop.example" },
    secrets: { apiToken: SECRET },
    params: { issueKey: "OPS-1", body: "hello" },
  })),
};
