import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { HmacVerification, WebhookVerification } from "../../schema/contract/webhook-verification.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { call, problemOf, verb } from "../support/management-api.ts";
import { NEW_CONNECTION } from "../support/new-connection.ts";
import { liveWebhook, madeKey, newBody, sendTo, statusOf } from "../support/verified-webhooks.ts";
import { signedHeaders } from "../support/webhook-signers.ts";

let bellhop: Bellhop;
let log = "";
beforeAll(async () => {
  const onLogLine = (line: string) => void (log += `${line}\n`);
  bellhop = await startBellhop({ bindings: { LOG_LEVEL: "debug" }, onLogLine });
});
afterAll(() => bellhop.stop());

const FOREIGN = "a-signing-secret-of-the-sender";
const KEY = `whsec_${Buffer.from("a key of 32 bytes for signatures").toString("base64")}`;
const GITHUB: HmacVerification = { type: "hmac", scheme: "github" };
const SCHEMES: [HmacVerification, secret: string][] = [
  [GITHUB, FOREIGN],
  [{ type: "hmac", scheme: "slack" }, FOREIGN],
  [{ type: "hmac", scheme: "stripe" }, FOREIGN],
  [{ type: "hmac", scheme: "standard-webhooks" }, KEY],
  [{ type: "hmac", scheme: "generic", header: "X-Sign", encoding: "base64", prefix: "v1=" }, FOREIGN],
];

const live = (verification?: WebhookVerification, secret?: string) => liveWebhook(bellhop, verification, secret);
const made = (id: string, path: string, body: object) => madeKey(bellhop, id, path, body);

describe("a signed webhook", () => {
  test.each(SCHEMES)("of %j starts its workflow, and no other request does", async (verification, secret) => {
    const { url, webhookSecret } = await live(verification, secret);
    expect(webhookSecret).toBeNull();
    const body = newBody();
    const headers = signedHeaders(verification, secret, body);
    expect(await statusOf(url, body, headers)).toBe(200);
    const otherSecret =
      secret === KEY ? `whsec_${Buffer.from("another key of 32 bytes in total").toString("base64")}` : `${secret}!`;
    expect(await statusOf(url, `${body} `, headers)).toBe(401);
    expect(await statusOf(url, newBody(), headers)).toBe(401);
    expect(await statusOf(url, body, signedHeaders(verification, otherSecret, body))).toBe(401);
    expect(await statusOf(url, body)).toBe(401);
    expect(await statusOf(url, body, { Authorization: `Bearer ${secret}` })).toBe(401);
    expect(await statusOf(`${url}?secret=${secret}`, body)).toBe(401);
  });

  test.each(SCHEMES)(
    "of %j that is sent again starts nothing, with any other headers",
    async (verification, secret) => {
      const { url } = await live(verification, secret);
      const body = newBody();
      const first = await (await sendTo(url, body, signedHeaders(verification, secret, body))).json();
      const unsigned = { "X-Idempotency-Key": "new", "X-GitHub-Delivery": "new" };
      const again = { ...signedHeaders(verification, secret, body, { at: Date.now() - 5_000 }), ...unsigned };
      expect(await (await sendTo(url, body, again)).json()).toEqual({
        success: true,
        data: { ...(first as { data: object }).data, deduplicated: true },
      });
    },
  );

  test("of Standard Webhooks is known by its signed id", async () => {
    const [verification, secret] = SCHEMES[3] ?? [];
    if (verification === undefined || secret === undefined) throw new Error("there is no such scheme");
    const { url } = await live(verification, secret);
    const [body, other] = [newBody(), newBody()];
    const idOf = async (text: string, id: string) => {
      const response = await sendTo(url, text, signedHeaders(verification, secret, text, { id }));
      return ((await response.json()) as { data: { executionId: string } }).data.executionId;
    };
    const first = await idOf(body, "msg_a");
    expect(await idOf(other, "msg_a")).toBe(first);
    expect(await idOf(body, "msg_b")).not.toBe(first);
  });

  test.each(SCHEMES.slice(1, 4))("of %j is refused when its time is not now", async (verification, secret) => {
    const { url } = await live(verification, secret);
    for (const [offset, status] of [
      [-5 * 60_000, 401],
      [2 * 60_000, 401],
      [-3 * 60_000, 200],
    ] as const) {
      const body = newBody();
      const headers = signedHeaders(verification, secret, body, { at: Date.now() + offset });
      expect({ offset, status: await statusOf(url, body, headers) }).toEqual({ offset, status });
    }
  });

  test("may have any bytes that its sender signed, but only JSON is accepted", async () => {
    const { url } = await live(GITHUB, FOREIGN);
    const verification = GITHUB;
    for (const [body, status] of [
      ["{", 400],
      ["", 200],
      [`"${"x".repeat(1_024 * 1_024)}"`, 413],
      ['{"variables":1}', 400],
    ] as const) {
      expect(await statusOf(url, body, signedHeaders(verification, FOREIGN, body))).toBe(status);
    }
  });

  test("gets a generated secret where the sender takes one", async () => {
    for (const verification of [SCHEMES[0]?.[0], SCHEMES[3]?.[0], SCHEMES[4]?.[0]]) {
      if (verification === undefined) throw new Error("there is no such scheme");
      const { url, webhookSecret } = await live(verification);
      const body = newBody();
      expect(await statusOf(url, body, signedHeaders(verification, webhookSecret ?? "", body))).toBe(200);
    }
  });
});

describe("a webhook with its secret in the address", () => {
  test("starts by its address alone, and not by another secret or a header", async () => {
    const { url, webhookSecret } = await live({ type: "address" });
    const [address = ""] = url.split("?");
    expect(url).toBe(`${address}?secret=${webhookSecret}`);
    expect(await statusOf(url, newBody())).toBe(200);
    expect(await statusOf(address, newBody())).toBe(401);
    expect(await statusOf(`${url}x`, newBody())).toBe(401);
    expect(await statusOf(address, newBody(), { Authorization: `Bearer ${webhookSecret}` })).toBe(401);
  });

  test("is not what a bearer's secret opens", async () => {
    const { url, webhookSecret } = await live();
    expect(await statusOf(`${url}?secret=${webhookSecret}`, newBody())).toBe(401);
    expect(await statusOf(url, newBody(), { Authorization: `Bearer ${webhookSecret}` })).toBe(200);
  });
});

describe("a refusal", () => {
  test("is the same for every verification and every mistake", async () => {
    const refusals = new Set<string>();
    for (const verification of [undefined, { type: "address" } as const, GITHUB]) {
      const { url } = await live(verification);
      const [address = ""] = url.split("?");
      const wrong: Record<string, string>[] = [
        {},
        { Authorization: "Bearer x" },
        { "X-Hub-Signature-256": `sha256=${"0".repeat(64)}` },
      ];
      for (const headers of wrong) {
        const { detail, title, status, code } = await problemOf(
          await sendTo(address, newBody(), headers),
          401,
          "unauthorized",
        );
        refusals.add(JSON.stringify([detail, title, status, code]));
      }
      const response = await sendTo(`${address}?secret=x`, newBody());
      expect(response.headers.get("WWW-Authenticate")).toBe("Bearer");
      await problemOf(response, 401, "unauthorized");
    }
    expect(refusals.size).toBe(1);
  });

  test("of too many wrong signatures leaves a right one its way", async () => {
    const { url } = await live(GITHUB, FOREIGN);
    const verification = GITHUB;
    const wrong = { "X-Hub-Signature-256": `sha256=${"0".repeat(64)}` };
    const statuses: number[] = [];
    for (let i = 0; i < 65; i += 1) statuses.push(await statusOf(url, newBody(), wrong));
    expect(statuses.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 401));
    expect(new Set(statuses.slice(60))).toEqual(new Set([429]));
    const body = newBody();
    expect(await statusOf(url, body, signedHeaders(verification, FOREIGN, body))).toBe(200);
  });
});

describe("a secret", () => {
  test("of a signature or an address is in no answer, log line, audit row or column, and in no problem", async () => {
    const secrets = [FOREIGN, KEY];
    const said: string[] = [];
    for (const [verification, secret] of SCHEMES) {
      const { id, url } = await live(verification, secret);
      said.push(await (await call(bellhop, "GET", `/workflows/${id}`)).text());
      said.push(await (await sendTo(url, newBody())).text());
    }
    const { id, url, webhookSecret } = await live({ type: "address" });
    const next = await made(id, "webhook-secret", {});
    for (const address of [url, next.url]) await statusOf(address, newBody());
    await verb(bellhop, id, "deactivate");
    for (const address of [url, `${url}x`, url.replace("/webhooks/wh", "/webhooks/xh")]) {
      said.push(await (await sendTo(address, newBody())).text());
    }
    said.push(await (await sendTo(url, "{")).text());
    said.push(await (await fetch(url, NEW_CONNECTION)).text());
    said.push(await (await call(bellhop, "GET", "/audit?limit=200")).text());
    for (const table of ["workflows", "audit_log", "executions", "workflow_versions"]) {
      said.push(JSON.stringify(await query(bellhop, `select * from ${table}`)));
    }
    said.push(log);
    for (const secret of [...secrets, webhookSecret ?? "", next.webhookSecret ?? ""]) {
      expect(secret.length).toBeGreaterThan(15);
      expect(said.filter((text) => text.includes(secret))).toEqual([]);
    }
    expect(log).toContain("a request was refused");
  });
});
