import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { CONNECTION_TYPES } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { casesOf, peerOf } from "../support/connection-cases.ts";
import { useOf } from "../support/record-connections.ts";
import { type JobToRun, runJob } from "../support/run-job.ts";
import { type SilentPeer, startSilentPeer } from "../support/silent-peer.ts";

/**
 * Only the agent's operator sets proxies. A proxy variable from a workflow or a connection reaches its own program
 * only.
 */
const NAMES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
const SMALL_NAMES = NAMES.map((name) => name.toLowerCase());
let rogue: SilentPeer;
const proxies = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${rogue.port}`]));
beforeEach(() => {
  rogue = startSilentPeer();
});
afterEach(() => rogue.stop());

describe("proxy variables in the values of an action", () => {
  for (const type of CONNECTION_TYPES) {
    const { peer: kind } = casesOf(type);
    if (kind === null) continue;
    test.skipIf(kind.missing !== null)(`do not change the destination of ${type}`, async () => {
      const peer = await kind.start();
      try {
        const { opened, arrived } = await useOf(type, peer, {});
        expect(arrived).toBe(true);
        for (const names of [NAMES, SMALL_NAMES]) {
          expect(await useOf(type, peer, { values: proxies(names) })).toMatchObject({ opened });
        }
        expect(rogue.connections).toBe(0);
      } finally {
        await peer.stop();
      }
    });
  }
});

describe("proxy variables for a script", () => {
  const script = 'echo "$HTTP_PROXY"';
  const jobs: [string, (names: JsonObject) => JobToRun][] = [
    ["env", (env) => ({ type: "script", action: "script.bash", params: { script, env } })],
    [
      "the fields of a custom connection",
      (fields) => ({ type: "custom", action: "script.bash", config: { fields }, params: { script } }),
    ],
  ];
  test.each(jobs)("from %s reach the script only", async (_, jobOf) => {
    const environment = { ...process.env };
    const peer = await peerOf("http").start();
    try {
      const usual = await useOf("http", peer, {});
      const { output } = await runJob(jobOf(proxies([...NAMES, ...SMALL_NAMES])));
      expect(output?.["stdout"]).toBe(`http://127.0.0.1:${rogue.port}\n`);
      expect(await useOf("http", peer, {})).toEqual(usual);
      expect({ ...process.env }).toEqual(environment);
      expect(rogue.connections).toBe(0);
    } finally {
      await peer.stop();
    }
  });
});
