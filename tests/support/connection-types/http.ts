import type { ConnectionCases } from "../connection-case.ts";
import { overHttp, SECRET } from "../credential-peer.ts";

export const HTTP = { baseUrl: "https://api.example.com/v1", authType: "bearer" };

export const cases: ConnectionCases = {
  config: HTTP,
  entry: { type: "http", baseUrl: "https://api.example.com/v1", authType: "bearer", verifySsl: true },
  changes: [
    { baseUrl: "http://api.example.com/v1" },
    { baseUrl: "https://api.example.com:8443/v1" },
    { baseUrl: "https://api.example.com/v2" },
    { baseUrl: "https://api.example.com/V1" },
    { baseUrl: "https://api.example.com" },
    { baseUrl: "https://api.example.com/v1/x" },
    { baseUrl: "https://api.example.com/v1?tenant=other/" },
    { baseUrl: "https://api.example.com.evil.example/v1" },
    { baseUrl: "https://api.example.com/v1/../v2" },
    { authType: "none" },
    { authType: "basic" },
    { authType: "apiKey" },
    { verifySsl: false },
    { baseUrl: undefined, targets: ["api.example.com"] },
    { baseUrl: undefined, targets: ["api.example.com"], basePath: "/v1" },
  ],
  keeps: [
    { baseUrl: "HTTPS://API.example.com:443/v1/" },
    { baseUrl: "https://api.example.com/v1//#top" },
    { baseUrl: "https://api.example.com/v2/../v1" },
    // Has no effect on other kinds of login.
    { apiKeyHeader: "X-Other" },
    { timeoutSeconds: 5 },
  ],
  otherTargets: [
    {
      config: { authType: "bearer", targets: ["api.example.com"], basePath: "/v1" },
      changes: [{ targets: ["*.example.com"] }, { basePath: "/v2" }, { basePath: undefined }, { authType: "none" }],
    },
    { config: { ...HTTP, authType: "apiKey" }, changes: [{ apiKeyHeader: "X-Other" }] },
  ],
  harmless: {
    baseUrl: [
      ["slashes at its end", (value) => `${String(value)}//`],
      ["another spelling", (value) => String(value).replace("http://", "HTTP://").replace("/api", "/x/../api#part")],
    ],
    apiKeyHeader: [["a header that is not used", () => "X-Other"]],
    timeoutSeconds: [["a longer time", () => 31]],
  },
  peer: overHttp("http.request", (url) => ({
    config: { baseUrl: `${url}/api`, authType: "bearer" },
    secrets: { token: SECRET },
    params: { path: "x" },
  })),
};
