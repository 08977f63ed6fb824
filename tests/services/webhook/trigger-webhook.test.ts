import { describe, expect, test } from "bun:test";
import { parseJsonBytes } from "../../../worker/http/json-body.ts";
import type { Deps } from "../../../worker/services/deps.ts";
import { mintWebhookKey } from "../../../worker/services/keys.ts";
import type { DeliveryRefusal } from "../../../schema/contract/webhook-delivery.ts";
import type { DeliveryFacts, GateAnswer, GateRequest } from "../../../worker/services/ports.ts";
import { ProblemError } from "../../../worker/services/problem.ts";
import { hashSecret } from "../../../worker/services/secret-hash.ts";
import { FailedSecrets } from "../../../worker/services/webhook/failed-secrets.ts";
import { triggerWebhook } from "../../../worker/services/webhook/trigger-webhook.ts";
import type { WebhookCall } from "../../../worker/services/webhook/webhook-call.ts";
import { GateBench, SETTINGS } from "../../support/gate-bench.ts";
import { TEST_SERVER_SECRET, testDeps } from "../../support/test-deps.ts";

const JSON_TYPE = new Headers({ "Content-Type": "application/json" });
const LOST = Object.assign(new Error("the object was moved"), { retryable: true });

/** The Worker's side before a real gate that counts its calls. No libSQL is running. */
class Caller {
  readonly bench = new GateBench(null);
  readonly minted = mintWebhookKey(TEST_SERVER_SECRET);
  readonly failed = new FailedSecrets();
  readonly requests: GateRequest[] = [];
  verifiersCalls = 0;
  bodiesRead = 0;
  /** Wraps the call and its response. */
  meddle: (answer: GateAnswer) => Promise<GateAnswer> = (answer) => Promise.resolve(answer);
  readonly #deps: Deps;

  constructor() {
    const never = () => {
      throw new Error("only the gate is called");
    };
    const gate = {
      accept: (request: GateRequest) => {
        this.requests.push(request);
        return this.meddle(this.bench.gate.accept(request));
      },
      verifiers: () => {
        this.verifiersCalls += 1;
        return Promise.resolve(this.bench.gate.verifiers());
      },
      configure: never,
      refused: (_key: string, reason: DeliveryRefusal, facts: DeliveryFacts) =>
        Promise.resolve(this.bench.gate.refused(reason, facts)),
      deliveries: never,
      executionEnded: never,
    };
    this.#deps = {
      ...testDeps("http://127.0.0.1:1", { now: () => this.bench.now }),
      objects: {
        gate: () => gate,
        workflowRuns: never,
        dispatcher: never,
        executionFeed: never,
        control: never,
        alerter: never,
      },
    };
  }

  async configure(epoch = 1, secret = this.minted.webhookSecret): Promise<void> {
    const secretHash = await hashSecret(secret);
    this.bench.gate.configure(this.minted.webhookKey, { ...SETTINGS, epoch, secretHash });
  }

  trigger(changes: Partial<WebhookCall> = {}) {
    const answered = triggerWebhook(this.#deps, this.failed, {
      webhookKey: this.minted.webhookKey,
      bearer: this.minted.webhookSecret,
      addressSecret: null,
      header: () => null,
      address: "192.0.2.1",
      idempotencyKey: "",
      sent: { headers: [], query: [] },
      readBytes: () => {
        this.bodiesRead += 1;
        return Promise.resolve(new Uint8Array());
      },
      parse: (bytes) => parseJsonBytes(bytes, JSON_TYPE, { maxBytes: 1_000, maxDepth: 8 }),
      ...changes,
    });
    return answered.then((answer) => (answer.type === "event" ? answer.event : Promise.reject(new Error(answer.type))));
  }

  async codeOf(changes: Partial<WebhookCall> = {}): Promise<unknown> {
    try {
      await this.trigger(changes);
      return "accepted";
    } catch (error) {
      return error instanceof Error && "code" in error ? error.code : error;
    }
  }
}

describe("a webhook request", () => {
  test("is one call to the gate once the secret was verified", async () => {
    const caller = new Caller();
    await caller.configure();
    await caller.trigger({ idempotencyKey: "1" });
    expect(caller.requests).toHaveLength(2);
    for (let i = 2; i <= 5; i += 1) await caller.trigger({ idempotencyKey: String(i) });
    expect(caller.requests).toHaveLength(6);
    expect(caller.requests.filter((request) => request.verified !== undefined)).toHaveLength(1);
    expect(caller.verifiersCalls).toBe(0);
  });

  test.each<[string, string[] | undefined]>([
    ["{}", undefined],
    ['{"variables":{"host":"web-1"}}', undefined],
    ['{"alerts":[1],"variables":{},"status":"firing"}', ["alerts", "status"]],
    [JSON.stringify({ ["x".repeat(300)]: 1 }), [`${"x".repeat(99)}…`]],
    [
      JSON.stringify(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, index]))),
      Array.from({ length: 20 }, (_, index) => `f${index}`),
    ],
  ])("is answered with the fields of %s that templates do not see", async (text, ignoredFields) => {
    const caller = new Caller();
    await caller.configure();
    const readBytes = () => Promise.resolve(new TextEncoder().encode(text));
    expect((await caller.trigger({ readBytes })).ignoredFields).toEqual(ignoredFields);
    expect((await caller.trigger({ readBytes })).ignoredFields).toEqual(ignoredFields);
  });

  test("does not give the gate the secret", async () => {
    const caller = new Caller();
    await caller.configure();
    await caller.trigger();
    expect(JSON.stringify(caller.requests)).not.toContain(caller.minted.webhookSecret);
  });

  test("compares again when the hash was replaced during bcrypt", async () => {
    const caller = new Caller();
    await caller.configure(1, "whs_another");
    caller.meddle = async (answer) => {
      if (caller.requests.length === 1) await caller.configure(2);
      return answer;
    };
    expect(await caller.codeOf()).toBe("accepted");
    expect(caller.requests).toHaveLength(3);
  });

  test("calls the gate again with the same id when the first response was lost with the object", async () => {
    const caller = new Caller();
    await caller.configure();
    await caller.trigger({ idempotencyKey: "verified" });
    caller.requests.length = 0;
    caller.meddle = (answer) => (caller.requests.length === 1 ? Promise.reject(LOST) : Promise.resolve(answer));
    expect(await caller.trigger()).not.toHaveProperty("deduplicated");
    expect(caller.requests.map((request) => request.executionId)).toEqual(
      Array.from({ length: 2 }, () => caller.requests[0]?.executionId ?? ""),
    );
    expect(caller.bench.storage.count("events")).toBe(2);
  });

  test("does not call again an object that is overloaded or would fail in the same way", async () => {
    for (const error of [Object.assign(new Error("too many"), { retryable: true, overloaded: true }), new Error("")]) {
      const caller = new Caller();
      caller.meddle = () => Promise.reject(error);
      expect(await caller.codeOf()).toBe(error);
      expect(caller.requests).toHaveLength(1);
    }
  });

  test("makes no call for a key that was never created here", async () => {
    const caller = new Caller();
    expect(await caller.codeOf({ webhookKey: `wh${"A".repeat(22)}` })).toBe("webhook_not_found");
    expect(caller.requests.length + caller.verifiersCalls + caller.bodiesRead).toBe(0);
  });

  test("reads no body for a guessed secret, and makes no call after 60 guesses", async () => {
    const caller = new Caller();
    await caller.configure();
    const bearer = mintWebhookKey(TEST_SERVER_SECRET).webhookSecret;
    for (let i = 0; i < 60; i += 1) expect(await caller.codeOf({ bearer })).toBe("unauthorized");
    for (let i = 0; i < 10; i += 1) expect(await caller.codeOf({ bearer })).toBe("rate_limit_exceeded");
    expect(caller.requests.length + caller.bodiesRead).toBe(0);
    expect(caller.verifiersCalls).toBe(60);
    expect(await caller.codeOf()).toBe("accepted");
  });

  test.each(["payload_too_large", "request_timeout", "invalid_request"] as const)(
    "whose signed body cannot be read, %s, is among the last deliveries, at most 60 times",
    async (code) => {
      const caller = new Caller();
      caller.bench.gate.configure(caller.minted.webhookKey, {
        ...SETTINGS,
        verification: { type: "hmac", scheme: "github" },
      });
      const header = (name: string) => (name === "X-Hub-Signature-256" ? `sha256=${"0".repeat(64)}` : null);
      const readBytes = () => Promise.reject(new ProblemError(code, "It cannot be read."));
      for (let i = 0; i < 65; i += 1) expect(await caller.codeOf({ bearer: null, header, readBytes })).toBe(code);
      const [delivery, ...others] = caller.bench.gate.deliveries;
      expect(others).toEqual([]);
      expect(delivery).toMatchObject({ result: "refused", reason: code, bytes: null, count: 60 });
      expect(caller.requests).toEqual([]);
    },
  );

  test("far beyond its key's limit costs neither body nor call, and is admitted as soon as there is room", async () => {
    const caller = new Caller();
    await caller.configure();
    const begunAt = caller.bench.now;
    for (let i = 0; i < 60; i += 1) expect(await caller.codeOf({ idempotencyKey: String(i) })).toBe("accepted");
    expect(await caller.codeOf()).toBe("rate_limit_exceeded");
    const [calls, bodies] = [caller.requests.length, caller.bodiesRead];
    caller.bench.now = begunAt + 58_999;
    for (let i = 0; i < 100; i += 1) expect(await caller.codeOf()).toBe("rate_limit_exceeded");
    // Ten in a second still reach the gate: only the gate knows what has changed meanwhile.
    expect([caller.requests.length, caller.bodiesRead]).toEqual([calls + 10, bodies + 10]);
    caller.bench.now = begunAt + 60_000;
    expect(await caller.codeOf({ idempotencyKey: "later" })).toBe("accepted");
  });
});
