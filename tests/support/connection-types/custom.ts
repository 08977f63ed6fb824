import type { ConnectionCases } from "../connection-case.ts";

export const cases: ConnectionCases = {
  config: { fields: { host: "A", port: 1 } },
  entry: { type: "custom", fields: { host: "A", port: 1 } },
  changes: [
    { fields: { host: "a", port: 1 } },
    { fields: { host: "A", port: "1" } },
    { fields: { host: "A" } },
    { fields: { host: "A", port: 1, more: null } },
    { fields: {} },
  ],
  keeps: [{ fields: { port: 1, host: "A" } }],
  peer: null,
};
