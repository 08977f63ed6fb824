import { describe, expect, test } from "bun:test";
import { severityBy, severityOf } from "../../worker/domain/incident/severity.ts";

describe("a source's severity becomes", () => {
  test.each([
    ["critical", ["critical", "CRITICAL", " page ", "fatal", "emergency", "P1", "sev-1", "SEV 1", "disaster"]],
    ["high", ["high", "error", "major", "p2"]],
    ["medium", ["medium", "warning", "warn", "average", "P3"]],
    ["low", ["low", "info", "informational", "notice", "minor", "none", "p5"]],
    [null, ["", "urgent", "toString", "constructor"]],
  ] as const)("%p", (severity, words) => {
    for (const word of words) expect({ word, severity: severityOf(word) }).toEqual({ word, severity });
  });
});

describe("an integration's own words", () => {
  const own = severityBy({ Page: "high", "SEV-9": "low", urgent: "critical", "*": "low" });
  test.each([
    ["page", "high"],
    ["sev 9", "low"],
    ["URGENT", "critical"],
    ["error", "high"],
    ["unheard", "low"],
    ["constructor", "low"],
    [undefined, "low"],
  ] as const)("make %p %p", (word, severity) => expect(own(word)).toBe(severity));

  test("leave an unknown word medium without *", () => {
    for (const word of ["unheard", "", undefined]) expect(severityBy({})(word)).toBe("medium");
  });
});
