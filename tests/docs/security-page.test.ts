import { expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../../scripts/paths.ts";

/** As `npm run check` finds them. */
const TEST = /`tests\/[^`]+\.test\.ts`: "[^"]+"/u;

test("each threat on the security page names its actor, what stops it and a test", async () => {
  const page = await Bun.file(join(ROOT, "docs/security.md")).text();
  const section = /^## Threats$(.*?)^## /msu.exec(page)?.[1] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| "));
  const threats = rows.slice(1).map((row) => row.split("|").slice(1, -1));
  expect(threats.length).toBeGreaterThan(25);
  for (const [threat = "", actor = "", stop = "", shown = "", ...more] of threats) {
    expect({ threat, actor: actor.trim() !== "", stop: stop.trim() !== "", more }).toEqual({
      threat,
      actor: true,
      stop: true,
      more: [],
    });
    expect({ threat, shown }).toEqual({ threat, shown: expect.stringMatching(TEST) });
  }
});
