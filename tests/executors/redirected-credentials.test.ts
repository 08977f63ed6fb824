import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { CONNECTION_TYPES } from "../../schema/contract/connection.ts";
import { casesOf } from "../support/connection-cases.ts";
import { failureOf, runAction } from "../support/executor-context.ts";
import { type HttpPeer, startHttpPeer } from "../support/http-peer.ts";

/**
 * The HTTP executor follows redirects without the credential (http-credential-scope.test.ts). The other executors
 * follow none.
 */
let elsewhere: HttpPeer;
beforeEach(() => {
  elsewhere = startHttpPeer();
});
afterEach(() => elsewhere.stop());

const STATUSES = [301, 302, 303, 307, 308];
const redirect = (status: number) => new Response(null, { status, headers: { location: `${elsewhere.url}/take` } });

const KINDS = CONNECTION_TYPES.filter((type) => type !== "http").flatMap((type) => {
  const { startAnswering } = casesOf(type).peer ?? {};
  return startAnswering === undefined ? [] : [[type, startAnswering] as const];
});

describe.each(KINDS)("a redirect of a request of type %s", (type, startAnswering) => {
  test.each(STATUSES)("with status %d fails, and no request goes to the target", async (status) => {
    const peer = await startAnswering(() => redirect(status));
    try {
      failureOf(await runAction(type, peer.action, peer.job));
      expect(await peer.arrivals()).toBe(1);
      expect(elsewhere.requests).toEqual([]);
    } finally {
      await peer.stop();
    }
  });
});

test.each(STATUSES)(
  "a redirect of a login to WinRM with status %d fails, and no request goes to the target",
  async (status) => {
    const host = startHttpPeer(() => redirect(status));
    try {
      for (const authMethod of ["basic", "ntlm"]) {
        const { hostname, port } = new URL(host.url);
        const config = { host: hostname, port: Number(port), useSsl: false, authMethod };
        const secrets = { username: "ops", password: "canary-4711" };
        failureOf(await runAction("winrm", "winrm.executeCommand", { config, secrets, params: { command: "exit 0" } }));
      }
      expect(host.requests).toHaveLength(2);
      expect(elsewhere.requests).toEqual([]);
    } finally {
      await host.stop();
    }
  },
);
