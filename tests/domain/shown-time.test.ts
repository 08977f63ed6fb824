import { expect, test } from "bun:test";
import { shownTime } from "../../worker/domain/shown-time.ts";

test.each([
  ["2026-11-28T22:00:00.000Z", "2026-11-28 22:00 UTC"],
  ["2026-11-28T22:00:00.999Z", "2026-11-28 22:00 UTC"],
  ["2026-11-28T22:00:30.000Z", "2026-11-28 22:00:30 UTC"],
])("the time %p is shown as %p", (at, shown) => expect(shownTime(Date.parse(at))).toBe(shown));
