import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { HmacVerification, WebhookVerification } from "../../schema/contract/webhook-verification.ts";
import { webhookKeyAnswerSchema } from "../../schema/contract/webhook-verification.ts";
import { workflowSchema } from "../../schema/contract/management.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { call, createWorkflow, dataOf, problemOf, verb } from "../support/management-api.ts";
import { NEW_CONNECTION } from "../support/new-connection.ts";
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

async function live(verification?: WebhookVerification, secret?: string) {
  const { id } = await createWorkflow(bellhop);
  const key = await made(id, "webhook-key", { verification, secret });
  await verb(bellhop, id, "publish");
  await verb(bellhop, id, "activate");
  return { id, ...key };
}

async function made(id: string, path: string, body: object) {
  return dataOf(await call(bellhop, "POST", `/workflows/${id}/${path}`, body), 201, webhookKeyAnswerSchema);
}

let bodies = 0;
function newBody(): string {
  bodies += 1;
  return JSON.stringify({ variables: { nonce: bodies } });
}

function send(url: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  const sent = { "Content-Type": "application/json", ...headers };
  return fetch(url, { ...NEW_CONNECTION, method: "POST", headers: sent, body });
}

async function statusOf(url: string, body: string, headers: Record<string, string> = {}): Promise<number> {
  const response = await send(url, body, headers);
  await response.arrayBuffer();
  return response.status;
}

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
      const first = await (await send(url, body, signedHeaders(verification, secret, body))).json();
      const unsigned = { "X-Idempotency-Key": "new", "X-GitHub-Delivery": "new" };
      const again = { ...signedHeaders(verification, secret, body, { at: Date.now() - 5_000 }), ...unsigned };
      expect(await (await send(url, body, again)).json()).toEqual({
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
      const response = await send(url, text, signedHeaders(verification, secret, text, { id }));
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
          await send(address, newBody(), headers),
          401,
          "unauthorized",
        );
        refusals.add(JSON.stringify([detail, title, status, code]));
      }
      const response = await send(`${address}?secret=x`, newBody());
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

describe("a replaced secret", () => {
  test("is right at once, also after too many signatures with it while the service had another", async () => {
    const { id, url } = await live(GITHUB, FOREIGN);
    const next = `${FOREIGN}-of-the-sender`;
    const send = (body = newBody()) => statusOf(url, body, signedHeaders(GITHUB, next, body));
    for (let i = 0; i < 61; i += 1) await send();
    expect(await send()).toBe(429);
    await made(id, "webhook-secret", { secret: next });
    expect(
      await eventually("a call with the replaced secret to be taken", async () => (await send()) === 200, 20_000),
    ).toBe(true);
  });

  test("leaves the old one valid for its time, in every verification", async () => {
    for (const verification of [undefined, { type: "address" } as const]) {
      const { id, url, webhookSecret } = await live(verification);
      const bearer = (secret: string | null): Record<string, string> =>
        verification === undefined ? { Authorization: `Bearer ${secret}` } : {};
      const next = await made(id, "webhook-secret", { keepOldSeconds: 3_600 });
      expect(Date.parse(next.oldSecretUntil ?? "")).toBeGreaterThan(Date.now() + 3_500_000);
      const shown = await dataOf(await call(bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
      expect(shown.webhook).toEqual({
        verification: verification ?? { type: "bearer" },
        oldSecretUntil: next.oldSecretUntil,
        requestsPerMinute: 60,
      });
      for (const [address, secret] of [
        [url, webhookSecret],
        [next.url, next.webhookSecret],
      ] as const) {
        expect(await statusOf(address, newBody(), bearer(secret))).toBe(200);
      }
      const last = await made(id, "webhook-secret", { keepOldSeconds: 0 });
      expect(last.oldSecretUntil).toBeNull();
      expect(await statusOf(url, newBody(), bearer(webhookSecret))).toBe(401);
      expect(await statusOf(next.url, newBody(), bearer(next.webhookSecret))).toBe(401);
      expect(await statusOf(last.url, newBody(), bearer(last.webhookSecret))).toBe(200);
    }
  });

  test("of a signature leaves the old one valid for its time", async () => {
    const verification = GITHUB;
    const { id, url } = await live(verification, FOREIGN);
    const by = async (secret: string) => {
      const body = newBody();
      return statusOf(url, body, signedHeaders(verification, secret, body));
    };
    expect(await by(FOREIGN)).toBe(200);
    await made(id, "webhook-secret", { secret: "another-signing-secret", keepOldSeconds: 60 });
    expect([await by(FOREIGN), await by("another-signing-secret")]).toEqual([200, 200]);
    await made(id, "webhook-secret", { secret: "the-third-signing-secret", keepOldSeconds: 0 });
    expect([await by("another-signing-secret"), await by("the-third-signing-secret")]).toEqual([401, 200]);
  });

  test("keeps the verification when the key is replaced without one", async () => {
    const { id, url } = await live(GITHUB, FOREIGN);
    const next = await made(id, "webhook-key", {});
    const body = newBody();
    const verification = GITHUB;
    expect(await statusOf(url, body, signedHeaders(verification, FOREIGN, body))).toBe(401);
    expect(await statusOf(next.url, body, signedHeaders(verification, next.webhookSecret ?? "", body))).toBe(200);
  });

  test("needs a key", async () => {
    const { id } = await createWorkflow(bellhop);
    await problemOf(await call(bellhop, "POST", `/workflows/${id}/webhook-secret`, {}), 409, "conflict");
  });
});

describe("a secret", () => {
  test("of a signature or an address is in no answer, log line, audit row or column, and in no problem", async () => {
    const secrets = [FOREIGN, KEY];
    const said: string[] = [];
    for (const [verification, secret] of SCHEMES) {
      const { id, url } = await live(verification, secret);
      said.push(await (await call(bellhop, "GET", `/workflows/${id}`)).text());
      said.push(await (await send(url, newBody())).text());
    }
    const { id, url, webhookSecret } = await live({ type: "address" });
    const next = await made(id, "webhook-secret", {});
    for (const address of [url, next.url]) await statusOf(address, newBody());
    await verb(bellhop, id, "deactivate");
    for (const address of [url, `${url}x`, url.replace("/webhooks/wh", "/webhooks/xh")]) {
      said.push(await (await send(address, newBody())).text());
    }
    said.push(await (await send(url, "{")).text());
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
