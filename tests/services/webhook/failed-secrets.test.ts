import { describe, expect, test } from "bun:test";
import { FailedSecrets } from "../../../worker/services/webhook/failed-secrets.ts";

function note(failed: FailedSecrets, times: number, key: string, address: string, now: number): number | null {
  let last: number | null = null;
  for (let i = 0; i < times; i += 1) last = failed.note(key, address, now);
  return last;
}

describe("the limit of wrong secrets", () => {
  test("allows 60 a minute for a caller, and then gives the seconds to wait", () => {
    const failed = new FailedSecrets();
    expect(note(failed, 60, "wh1", "192.0.2.1", 0)).toBeNull();
    expect(failed.note("wh1", "192.0.2.1", 15_000)).toBe(45);
    expect(failed.note("wh1", "192.0.2.1", 60_000)).toBeNull();
  });

  test("does not prolong the wait for refused attempts", () => {
    const failed = new FailedSecrets();
    note(failed, 60, "wh1", "192.0.2.1", 0);
    expect(note(failed, 600, "wh1", "192.0.2.1", 59_000)).toBe(1);
    expect(failed.note("wh1", "192.0.2.1", 60_000)).toBeNull();
  });

  test("counts each key and each address separately", () => {
    const failed = new FailedSecrets();
    note(failed, 61, "wh1", "192.0.2.1", 0);
    expect(failed.note("wh1", "192.0.2.2", 0)).toBeNull();
    expect(failed.note("wh2", "192.0.2.1", 0)).toBeNull();
  });

  test("forgets the caller seen longest ago instead of growing", () => {
    const failed = new FailedSecrets(2);
    note(failed, 60, "wh1", "a", 0);
    note(failed, 60, "wh1", "b", 0);
    expect(failed.note("wh1", "a", 0)).toBe(60);
    failed.note("wh1", "c", 0);
    expect(failed.note("wh1", "a", 0)).toBe(60);
    expect(failed.note("wh1", "b", 0)).toBeNull();
  });
});
