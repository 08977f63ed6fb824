import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { runJob } from "../support/run-job.ts";
import type { JobToRun } from "../support/run-job.ts";

/** Orders of a hostile service, each to an agent whose credential was sealed for `web-*.example.org`. */
const KEY = `SHA256:${"a".repeat(43)}`;
let calls = 0;
let here: string;
let listener: Bun.TCPSocketListener;
beforeAll(() => {
  listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (socket) => {
        calls += 1;
        socket.end();
      },
      data: () => undefined,
    },
  });
  here = `localhost:${listener.port}`;
});
afterAll(() => listener.stop(true));

const TYPES: Readonly<
  Partial<Record<ConnectionType, Pick<JobToRun, "action" | "params" | "secrets"> & { config: JsonObject }>>
> = {
  ssh: {
    action: "ssh.executeCommand",
    params: { command: "true" },
    config: { username: "ada", authMethod: "password" },
    secrets: { password: "correct horse" },
  },
  winrm: {
    action: "winrm.executeScript",
    params: { script: "exit 0" },
    config: { port: 5986, useSsl: true, authMethod: "ntlm" },
    secrets: { username: "ada", password: "correct horse" },
  },
  http: { action: "http.request", params: {}, config: { authType: "bearer" }, secrets: { token: "correct horse" } },
};

/** [what, changes of the configuration in the order, target in the order, code] */
type Forged = [what: string, config: (type: ConnectionType) => JsonObject, target: (() => string) | null, code: string];
const SEALED = { targets: ["web-*.example.org"] };
const FORGED: Forged[] = [
  ["another host", () => SEALED, () => here, "target_not_allowed"],
  ["another port", () => SEALED, () => "web-1.example.org:1", "target_not_allowed"],
  [
    "a host whose name begins like an allowed one",
    () => SEALED,
    () => `web-1.example.org.${here}`,
    "target_not_allowed",
  ],
  ["a pattern", () => SEALED, () => "web-*.example.org", "target_not_allowed"],
  ["an address", () => SEALED, () => "127.0.0.1", "target_not_allowed"],
  ["two hosts", () => SEALED, () => `web-1.example.org@${here}`, "target_not_allowed"],
  ["another spelling", () => SEALED, () => "WEB-1.example.org", "target_not_allowed"],
  ["an empty text", () => SEALED, () => "", "target_not_allowed"],
  ["no host", () => SEALED, null, "target_missing"],
  ["a longer list", () => ({ targets: [...SEALED.targets, here] }), () => here, "target_changed"],
  ["a wider pattern", () => ({ targets: ["*.example.org"] }), () => "db.example.org", "target_changed"],
  ["one host in place of the list", (type) => oneHost(type), null, "target_changed"],
  ["one host and a target", (type) => oneHost(type), () => "web-1.example.org", "target_changed"],
];

function oneHost(type: ConnectionType): JsonObject {
  return type === "http" ? { baseUrl: `http://${here}` } : { host: "localhost", port: listener.port };
}

describe.each(["ssh", "winrm", "http"] as const)("an agent with a credential for several hosts of type %s", (type) => {
  const { config, ...job } = TYPES[type] ?? { config: {}, action: null };
  const sealedFor = { ...config, ...SEALED };

  test.each(FORGED)("refuses an order for %s, and connects nowhere", async (_what, change, target, code) => {
    const before = calls;
    const order = { type, ...job, sealedFor, config: { ...config, ...change(type) } };
    const named = target === null ? {} : { target: target() };
    for (const action of [job.action, null]) {
      const { status, error } = await runJob({ ...order, ...named, action });
      expect([action, status, error?.code]).toEqual([action, "failed", code]);
      expect(error?.message).not.toContain("correct horse");
    }
    expect(calls).toBe(before);
  });

  test("refuses a target on a connection to one host", async () => {
    const before = calls;
    const one = { ...config, ...oneHost(type) };
    const { error } = await runJob({ type, ...job, config: one, target: "web-1.example.org" });
    expect([error?.code, calls]).toEqual(["target_not_allowed", before]);
  });

  test("without a credential still connects only to hosts of the connection's list", async () => {
    const before = calls;
    const list = { ...config, ...(type === "http" ? { authType: "none" } : {}), ...SEALED };
    const { error } = await runJob({ type, ...job, config: list, secrets: null, target: here, action: null });
    expect([error?.code, calls]).toEqual(["target_not_allowed", before]);
  });
});

test("an agent refuses host keys that were not sealed with the credential", async () => {
  const { config, ...job } = TYPES.ssh ?? { config: {}, action: null };
  const sealedFor = { ...config, targets: [here], hostKeys: [`${here} ${KEY}`] };
  const forged = { ...sealedFor, hostKeys: [`${here} ${KEY.replaceAll("a", "b")}`] };
  const { error } = await runJob({ type: "ssh", ...job, sealedFor, config: forged, target: here });
  expect(error?.code).toBe("target_changed");
});
