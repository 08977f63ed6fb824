import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { AGENT_SETTINGS } from "../../schema/settings/agent.ts";
import { SERVICE_SETTINGS } from "../../schema/settings/service.ts";
import { ROOT } from "../../scripts/paths.ts";

test("every setting that a page names is declared", async () => {
  const pages = ["README.md", "wrangler.toml", ...new Glob("docs/**/*.md").scanSync(ROOT)];
  const texts = await Promise.all(pages.map((page) => Bun.file(join(ROOT, page)).text()));
  const names = texts.join("\n").match(/\b(?:AGENT_API_|NOTIFY_|OIDC_|TRUSTED_)[A-Z_]+\b/gu) ?? [];
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name) => !Object.hasOwn({ ...SERVICE_SETTINGS, ...AGENT_SETTINGS }, name))).toEqual([]);
});
