import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { call, createWorkflow, errorPathsOf, makeWebhookKey } from "../support/management-api.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const FOREIGN = "a-signing-secret-of-the-sender";
const GITHUB = { type: "hmac", scheme: "github" };

describe("wrong input", () => {
  const generic = { type: "hmac", scheme: "generic", header: "X-Sign", encoding: "hex" };
  test.each<[body: object, path: string]>([
    [{ verification: "bearer" }, "verification"],
    [{ verification: { type: "basic" } }, "verification.type"],
    [{ verification: { type: "bearer", scheme: "github" } }, "verification.scheme"],
    [{ verification: { type: "hmac" } }, "verification.scheme"],
    [{ verification: { type: "hmac", scheme: "gitlab" } }, "verification.scheme"],
    [{ verification: { type: "hmac", scheme: "generic", encoding: "hex" } }, "verification.header"],
    [{ verification: { ...generic, header: "a b" } }, "verification.header"],
    [{ verification: { ...generic, encoding: "base32" } }, "verification.encoding"],
    [{ verification: { ...generic, prefix: "a b" } }, "verification.prefix"],
    [{ secret: FOREIGN }, "secret"],
    [{ verification: { type: "address" }, secret: FOREIGN }, "secret"],
    [{ verification: { type: "hmac", scheme: "slack" } }, "secret"],
    [{ verification: { type: "hmac", scheme: "stripe" } }, "secret"],
    [{ verification: GITHUB, secret: "short" }, "secret"],
    [{ verification: GITHUB, secret: "x".repeat(257) }, "secret"],
    [{ verification: GITHUB, secret: "with blanks in between" }, "secret"],
    [{ verification: { type: "hmac", scheme: "standard-webhooks" }, secret: "whsec_not-base64-at-all" }, "secret"],
    [{ verification: { type: "hmac", scheme: "standard-webhooks" }, secret: "whsec_dG9vIHNob3J0" }, "secret"],
  ])("for a key, %j, is refused at %s", async (body, path) => {
    const { id } = await createWorkflow(bellhop);
    expect(await errorPathsOf(await call(bellhop, "POST", `/workflows/${id}/webhook-key`, body))).toEqual([path]);
  });

  test.each<[body: object, path: string]>([
    [{ keepOldSeconds: -1 }, "keepOldSeconds"],
    [{ keepOldSeconds: 7 * 24 * 3_600 + 1 }, "keepOldSeconds"],
    [{ keepOldSeconds: 1.5 }, "keepOldSeconds"],
    [{ keepOldSeconds: "1 day" }, "keepOldSeconds"],
    [{ secret: FOREIGN }, "secret"],
    [{ verification: { type: "bearer" } }, "verification"],
  ])("for a secret, %j, is refused at %s", async (body, path) => {
    const { id } = await createWorkflow(bellhop);
    await makeWebhookKey(bellhop, id);
    expect(await errorPathsOf(await call(bellhop, "POST", `/workflows/${id}/webhook-secret`, body))).toEqual([path]);
  });
});
