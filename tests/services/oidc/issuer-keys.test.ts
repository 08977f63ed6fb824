import { beforeEach, describe, expect, test } from "bun:test";
import { createLocalJWKSet } from "jose";
import { IssuerKeys } from "../../../worker/services/oidc/issuer-keys.ts";

const MINUTE_MS = 60_000;
const START = 1_800_000_000_000;

let reads: number;
let answering: boolean;
let keys: IssuerKeys;
beforeEach(() => {
  reads = 0;
  answering = true;
  keys = new IssuerKeys(async () => {
    reads += 1;
    await Promise.resolve();
    if (!answering) throw new Error("the issuer is away");
    return createLocalJWKSet({ keys: [] });
  });
});

describe("an issuer's keys", () => {
  test("are read once, and again when they are ten minutes old", async () => {
    await keys.current(START);
    await keys.current(START + 9 * MINUTE_MS);
    expect(reads).toBe(1);
    await keys.current(START + 10 * MINUTE_MS);
    expect(reads).toBe(2);
  });

  test("are read once for any number of unknown keys, and again half a minute later", async () => {
    await keys.current(START);
    expect(await keys.searchAgain(START + 1)).not.toBeNull();
    for (let i = 2; i < 100; i += 1) expect(await keys.searchAgain(START + i)).toBeNull();
    expect(reads).toBe(2);
    expect(await keys.searchAgain(START + 30_001)).not.toBeNull();
    expect(reads).toBe(3);
  });

  test("are found by simultaneous callers, up to a limit", async () => {
    await keys.current(START);
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => keys.searchAgain(START + 10_000)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(8);
    expect(reads).toBe(9);
  });

  test("are used for an hour while the issuer is unavailable, and then no longer", async () => {
    await keys.current(START);
    answering = false;
    await keys.current(START + 59 * MINUTE_MS);
    expect(keys.current(START + 61 * MINUTE_MS)).rejects.toThrow();
  });

  test("an unavailable issuer is not called for every request", async () => {
    answering = false;
    await Promise.allSettled(Array.from({ length: 50 }, () => keys.current(START)));
    expect(reads).toBe(8);
    await Promise.allSettled(Array.from({ length: 50 }, () => keys.current(START + 4_000)));
    expect(reads).toBe(8);
    answering = true;
    await keys.current(START + 5_000);
    expect(reads).toBe(9);
  });
});
