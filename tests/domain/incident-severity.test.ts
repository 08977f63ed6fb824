import { describe, expect, test } from "bun:test";
import { severityOf } from "../../worker/domain/incident/severity.ts";

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
