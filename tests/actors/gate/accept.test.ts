import { describe, expect, test } from "bun:test";
import "../../support/quiet-log.ts";
import type { GateAnswer } from "../../../worker/services/ports.ts";
import { GateBench, SETTINGS } from "../../support/gate-bench.ts";

const BAD_BODY = { ok: false, problem: { code: "invalid_request", detail: "" } } as const;
const MINUTE_MS = 60_000;

describe("a webhook gate checks in the order of the contract", () => {
  test("a key that was never configured is unknown, and nothing is written for it", () => {
    const bench = new GateBench(null);
    expect(bench.accept()).toEqual({ type: "unknownKey" });
    expect(bench.gate.verifiers()).toBeNull();
    bench.gate.executionEnded("exe_1", "succeeded");
    bench.restart();
    expect(bench.storage.rowWrites + bench.storage.alarmWrites).toBe(0);
    expect(bench.storage.tables()).toEqual([]);
  });

  test("a revoked key is unknown before its secret is looked at", () => {
    const bench = new GateBench({ revoked: true });
    expect(bench.accept({ verified: undefined })).toEqual({ type: "unknownKey" });
    expect(bench.gate.verifiers()).toBeNull();
  });

  test("a wrong secret is refused before the answer can say that the workflow is inactive", () => {
    const bench = new GateBench({ active: false });
    const verified = { verifiers: [SETTINGS.secretHash], matches: false };
    expect(bench.accept({ secretDigest: "wrong", verified })).toEqual({ type: "wrongSecret" });
  });

  test("an inactive workflow is reported before the limit, and does not count towards it", () => {
    const bench = new GateBench({ active: false });
    for (let i = 0; i < 61; i += 1) expect(bench.accept()).toEqual({ type: "inactive" });
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 2 });
    expect(bench.accept().type).toBe("accepted");
  });

  test("an unpublished workflow is inactive", () => {
    expect(new GateBench({ versionId: null }).accept()).toEqual({ type: "inactive" });
  });

  test("the limit comes before the body", () => {
    const bench = new GateBench();
    for (let i = 0; i < 60; i += 1) bench.accept();
    expect(bench.accept({ body: BAD_BODY })).toEqual({ type: "rateLimited", retryAfterSeconds: 60 });
  });

  test("a bad body is refused and stores no event", () => {
    const bench = new GateBench();
    expect(bench.accept({ body: BAD_BODY })).toEqual({ type: "badBody", problem: BAD_BODY.problem });
    expect(bench.storage.count("events")).toBe(0);
  });
});

describe("a webhook gate's memory of secrets", () => {
  test("asks for one bcrypt comparison of a correct secret", () => {
    const bench = new GateBench();
    expect(bench.accept({ verified: undefined })).toEqual({
      type: "verifySecret",
      verification: { type: "bearer" },
      verifiers: [SETTINGS.secretHash],
    });
    expect(bench.accept().type).toBe("accepted");
    expect(bench.accept({ verified: undefined }).type).toBe("accepted");
  });

  test("asks for one bcrypt comparison of a wrong secret", () => {
    const bench = new GateBench();
    const secretDigest = "wrong";
    expect(bench.accept({ secretDigest, verified: undefined }).type).toBe("verifySecret");
    expect(bench.accept({ secretDigest, verified: { verifiers: [SETTINGS.secretHash], matches: false } }).type).toBe(
      "wrongSecret",
    );
    expect(bench.accept({ secretDigest, verified: undefined }).type).toBe("wrongSecret");
  });

  test("forgets the oldest wrong secret beyond a thousand", () => {
    const bench = new GateBench();
    const verified = { verifiers: [SETTINGS.secretHash], matches: false };
    for (let i = 0; i <= 1_000; i += 1) bench.accept({ secretDigest: `wrong ${i}`, verified });
    expect(bench.accept({ secretDigest: "wrong 0", verified: undefined }).type).toBe("verifySecret");
    expect(bench.accept({ secretDigest: "wrong 1000", verified: undefined }).type).toBe("wrongSecret");
  });

  test("ignores a comparison with a hash that was replaced during the comparison", () => {
    const bench = new GateBench();
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 2, secretHash: "another hash" });
    expect(bench.accept()).toEqual({
      type: "verifySecret",
      verification: { type: "bearer" },
      verifiers: ["another hash"],
    });
  });

  test("forgets a secret when its hash is replaced", () => {
    const bench = new GateBench();
    bench.accept();
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 2, secretHash: "another hash" });
    expect(bench.accept({ verified: undefined }).type).toBe("verifySecret");
  });

  test("is not on disk: a restart needs a new bcrypt comparison", () => {
    const bench = new GateBench();
    bench.accept();
    bench.restart();
    expect(bench.accept({ verified: undefined }).type).toBe("verifySecret");
  });

  test("does not count wrong secrets towards the owner's limit", () => {
    const bench = new GateBench();
    const verified = { verifiers: [SETTINGS.secretHash], matches: false };
    for (let i = 0; i < 100; i += 1) bench.accept({ secretDigest: "wrong", verified });
    expect(bench.accept().type).toBe("accepted");
  });
});

describe("a webhook gate's limit", () => {
  test("admits 60 requests a minute, then gives the seconds to wait, and is open after them", () => {
    const bench = new GateBench();
    bench.accept();
    bench.now += 20_500;
    for (let i = 0; i < 59; i += 1) expect(bench.accept().type).toBe("accepted");
    expect(bench.accept()).toEqual({ type: "rateLimited", retryAfterSeconds: 40 });
    bench.now += 39_499;
    expect(bench.accept()).toEqual({ type: "rateLimited", retryAfterSeconds: 1 });
    bench.now += 1;
    expect(bench.accept().type).toBe("accepted");
    expect(bench.accept().type).toBe("rateLimited");
  });

  test("does not count refused requests", () => {
    const bench = new GateBench();
    for (let i = 0; i < 60; i += 1) bench.accept();
    for (let i = 0; i < 59; i += 1) {
      bench.now += 1_000;
      bench.accept();
    }
    bench.now += 1_000;
    for (let i = 0; i < 60; i += 1) expect(bench.accept().type).toBe("accepted");
  });

  for (const kind of ["accepted events", "duplicates", "bad bodies"] as const) {
    test(`counts ${kind}, also after a restart`, () => {
      const bench = new GateBench();
      const first = kind === "duplicates" ? { key: "k:same" } : kind === "bad bodies" ? { body: BAD_BODY } : {};
      for (let i = 0; i < 60; i += 1) bench.accept(first);
      expect(bench.accept().type).toBe("rateLimited");
      bench.restart();
      expect(bench.accept().type).toBe("rateLimited");
      bench.now += MINUTE_MS;
      bench.restart();
      expect(bench.accept().type).toBe("accepted");
    });
  }
});

describe("a webhook gate's acceptance", () => {
  test("writes one row per event, and one alarm for a burst", () => {
    const bench = new GateBench();
    const before = { rows: bench.storage.rowWrites, alarms: bench.storage.alarmWrites };
    for (let i = 0; i < 50; i += 1) bench.accept();
    expect(bench.storage.rowWrites - before.rows).toBe(50);
    expect(bench.storage.alarmWrites - before.alarms).toBe(1);
  });

  test("is not remembered when the disk refuses to store it", () => {
    const bench = new GateBench();
    bench.storage.broken = "rows";
    expect(() => bench.accept({ key: "k:1" })).toThrow("the disk is full");
    bench.storage.broken = false;
    expect(bench.accept({ key: "k:1" })).toMatchObject({ type: "accepted", deduplicated: false });
    expect(bench.storage.count("events")).toBe(1);
  });

  test("that is repeated with the same id is one event, not a duplicate, and counts once", () => {
    const bench = new GateBench();
    const request = bench.request();
    const first = bench.gate.accept(request);
    for (let i = 0; i < 100; i += 1) expect(bench.gate.accept(request)).toEqual(first);
    expect(first).toMatchObject({ deduplicated: false });
    bench.gate.configure("wh1", { ...SETTINGS, epoch: 2, active: false });
    bench.restart();
    expect(bench.gate.accept(request)).toEqual(first);
    expect(bench.storage.count("events")).toBe(1);
  });
});

describe("a webhook gate's deduplication", () => {
  test("returns the first execution for five minutes, and then starts another", () => {
    const bench = new GateBench();
    const first = bench.accept({ key: "h:same" });
    expect(first).toMatchObject({ type: "accepted", deduplicated: false, status: "running", startedAt: bench.now });
    bench.now += 5 * MINUTE_MS - 1;
    expect(bench.accept({ key: "h:same" })).toEqual(asDuplicate(first));
    bench.now += 1;
    expect(bench.accept({ key: "h:same" })).toMatchObject({ deduplicated: false, startedAt: bench.now });
  });

  test("is not prolonged by duplicates", () => {
    const bench = new GateBench();
    const first = bench.accepted({ key: "h:same" });
    for (let i = 0; i < 4; i += 1) {
      bench.now += MINUTE_MS;
      expect(bench.accepted({ key: "h:same" })).toBe(first);
    }
    bench.now += MINUTE_MS;
    expect(bench.accepted({ key: "h:same" })).not.toBe(first);
  });

  test("continues after a restart", () => {
    const bench = new GateBench();
    const first = bench.accept({ key: "h:same" });
    bench.restart();
    expect(bench.accept({ key: "h:same" })).toEqual(asDuplicate(first));
  });

  test("uses the newest event of a key after a restart, not one whose window has ended", () => {
    const bench = new GateBench();
    bench.accepted({ key: "h:same" });
    bench.now += 5 * MINUTE_MS;
    const second = bench.accepted({ key: "h:same" });
    bench.restart();
    expect(bench.accepted({ key: "h:same" })).toBe(second);
  });

  test("shows the final status once it is reported, also after a restart, and never an earlier one again", () => {
    const bench = new GateBench();
    const first = bench.accepted({ key: "h:same" });
    bench.gate.executionEnded(first, "failed");
    bench.gate.executionEnded(first, "running");
    bench.gate.executionEnded(first, "succeeded");
    bench.gate.executionEnded("exe_of_another_gate", "succeeded");
    expect(bench.accept({ key: "h:same" })).toMatchObject({ executionId: first, status: "failed" });
    bench.restart();
    expect(bench.accept({ key: "h:same" })).toMatchObject({ executionId: first, status: "failed" });
  });
});

function asDuplicate(answer: GateAnswer): GateAnswer {
  return answer.type === "accepted" ? { ...answer, deduplicated: true } : answer;
}
