import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { z } from "zod";
import { mintAgentKey, mintIntegrationKey, mintWebhookKey } from "../../worker/services/keys.ts";
import { CLIENT_IP_HEADER, startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { armWebhook, callWebhook, triggered } from "../support/webhooks.ts";

const GUESSES = 300;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const problemSchema = z.looseObject({ code: z.string(), detail: z.string() });

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

/** Keys in the right form: only their tags distinguish them from real ones. */
function random(chars: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(chars)), (byte) => BASE62.charAt(byte % 62)).join("");
}

let addresses = 0;

/** Storage files of all objects. */
function objectFiles(): number {
  return [...new Bun.Glob("**/*.sqlite").scanSync(join(bellhop.directory, "objects"))].length;
}

const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
const agentCall = (method: string, path: string, key: string) =>
  fetch(`${bellhop.url}/api/v1/agent${path}`, { method, ...bearer(key) });

/** Each kind of secret that an attacker can guess, and the response to a wrong one. */
const KINDS: { kind: string; guess: () => Promise<Response>; status: number; code: string }[] = [
  {
    kind: "webhook keys",
    guess: () => callWebhook(bellhop, { webhookKey: `wh${random(22)}`, webhookSecret: `whs_${random(43)}` }),
    status: 404,
    code: "webhook_not_found",
  },
  {
    kind: "agent keys",
    guess: () => agentCall("GET", "/jobs?capacity=1", `bh${random(10)}_${random(43)}`),
    status: 401,
    code: "unauthorized",
  },
  {
    kind: "agent keys that register",
    guess: () => agentCall("POST", "/register", `bh${random(10)}_${random(43)}`),
    status: 401,
    code: "unauthorized",
  },
  {
    kind: "secrets of an agent's own prefix",
    guess: () => agentCall("POST", "/register", `${mintAgentKey(bellhop.serverSecret).prefix}_${random(43)}`),
    status: 401,
    code: "unauthorized",
  },
  {
    kind: "enrolment codes, each from another address",
    guess: () =>
      fetch(`${bellhop.url}/api/v1/agent/enrol`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          [CLIENT_IP_HEADER]: `198.51.${++addresses >> 8}.${addresses & 255}`,
        },
        body: JSON.stringify({ code: `bhe_${random(43)}` }),
      }),
    status: 401,
    code: "unauthorized",
  },
  {
    kind: "integration keys",
    guess: () =>
      fetch(`${bellhop.url}/api/v1/integrations/alertmanager/itg${random(10)}_${random(43)}`, { method: "POST" }),
    status: 404,
    code: "not_found",
  },
  {
    kind: "secrets of an integration's own prefix",
    guess: () => {
      const { prefix } = mintIntegrationKey(bellhop.serverSecret);
      return fetch(`${bellhop.url}/api/v1/integrations/pagerduty/${prefix}_${random(43)}`, { method: "POST" });
    },
    status: 404,
    code: "not_found",
  },
  {
    kind: "API tokens",
    guess: () => fetch(`${bellhop.url}/api/v1/automation/agents`, bearer(`bht_${random(43)}`)),
    status: 401,
    code: "unauthorized",
  },
  {
    kind: "bootstrap tokens",
    guess: () => fetch(`${bellhop.url}/api/v1/automation/agents`, bearer(random(40))),
    status: 401,
    code: "unauthorized",
  },
  {
    kind: "session cookies",
    guess: () =>
      fetch(`${bellhop.url}/api/v1/automation/agents`, {
        headers: { Cookie: `bellhop_session=${random(43)}.${random(43)}` },
      }),
    status: 401,
    code: "unauthorized",
  },
  {
    kind: "JSON Web Tokens where no issuer is set up",
    guess: () => fetch(`${bellhop.url}/api/v1/automation/agents`, bearer(`${random(20)}.${random(200)}.${random(43)}`)),
    status: 401,
    code: "unauthorized",
  },
];

describe("with the database stopped, so that any query would give a 503", () => {
  beforeAll(() => bellhop.stopLibsql());
  afterAll(() => bellhop.startLibsql());

  for (const { kind, guess, status, code } of KINDS) {
    test(`guessed ${kind} all get the same refusal, make no query and create no object`, async () => {
      const before = objectFiles();
      const answers = new Set<string>();
      for (let sent = 0; sent < GUESSES; sent += 50) {
        const responses = await Promise.all(Array.from({ length: 50 }, guess));
        for (const response of responses) {
          const { code, detail } = problemSchema.parse(await response.json());
          answers.add(`${response.status} ${code} ${detail}`);
        }
      }
      expect([...answers]).toEqual([expect.stringMatching(new RegExp(`^${status} ${code} `, "u"))]);
      expect(objectFiles()).toBe(before);
    });
  }
});

describe("a former key", () => {
  test("is looked up once and then not for a while, also when it registers in a loop", async () => {
    const { key } = mintAgentKey(bellhop.serverSecret);
    expect((await agentCall("POST", "/register", key)).status).toBe(401);
    await bellhop.stopLibsql();
    try {
      for (let sent = 0; sent < 20; sent += 1) {
        expect((await agentCall("POST", "/register", key)).status).toBe(401);
        expect((await agentCall("GET", "/jobs?capacity=1", key)).status).toBe(401);
      }
    } finally {
      await bellhop.startLibsql();
    }
  });
});

describe("guesses at a webhook's secret", () => {
  test("do not block the right secret from the same address, during and after", async () => {
    const webhook = await armWebhook(bellhop);
    const other = mintWebhookKey(bellhop.serverSecret);
    const guesses = [`whs_${random(43)}`, other.webhookSecret, "hunter2"];
    const seen = new Map<number, number>();
    for (let round = 0; round < 20; round += 1) {
      const wrong = guesses.flatMap((secret) =>
        Array.from({ length: 4 }, () => callWebhook(bellhop, webhook, { secret })),
      );
      const right = triggered(callWebhook(bellhop, webhook, { body: JSON.stringify({ variables: { round } }) }));
      for (const response of await Promise.all(wrong)) seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
      expect((await right).deduplicated).toBeUndefined();
    }
    expect([...seen.keys()].toSorted()).toEqual([401, 429]);
    // Only a limited number is compared in a minute, for this address and this key.
    expect(seen.get(401)).toBeLessThanOrEqual(60);
    await triggered(callWebhook(bellhop, webhook, { body: '{"variables":{"after":true}}' }));
  });

  test("do not use up another key's limit", async () => {
    const [flooded, quiet] = await Promise.all([armWebhook(bellhop), armWebhook(bellhop)]);
    for (let sent = 0; sent < 100; sent += 1) await callWebhook(bellhop, flooded, { secret: quiet.webhookSecret });
    const wrong = await callWebhook(bellhop, quiet, { secret: flooded.webhookSecret });
    expect(wrong.status).toBe(401);
  });
});
