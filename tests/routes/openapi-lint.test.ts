import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../../scripts/paths.ts";
import { description } from "../support/described.ts";

const LINTER = join(ROOT, "node_modules/@redocly/cli/bin/cli.js");
const reportSchema = z.object({
  problems: z.array(
    z.object({ ruleId: z.string(), message: z.string(), location: z.array(z.object({ pointer: z.string() })) }),
  ),
});

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "bellhop-lint-"));
});
afterAll(() => rm(directory, { recursive: true }));

/** The linter's findings by the rules of `redocly.yaml`, errors and warnings alike. */
async function problemsOf(document: object): Promise<string[]> {
  const file = join(directory, `${crypto.randomUUID()}.json`);
  await Bun.write(file, JSON.stringify(document));
  const command = [process.execPath, "--bun", LINTER, "lint", file, "--format=json", "--config=redocly.yaml"];
  const child = Bun.spawn(command, {
    cwd: ROOT,
    env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    stdout: "pipe",
    stderr: "ignore",
  });
  const report = reportSchema.parse(await new Response(child.stdout).json());
  return report.problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

test("the linter finds no error and no warning in the API's description", async () => {
  expect(await problemsOf(description)).toEqual([]);
});

test("the linter finds a component that nothing refers to, and a tag without a description", async () => {
  const { components, ...rest } = description;
  const unused = { ...components, schemas: { ...components.schemas, Unused: { type: "string" } } };
  const problems = await problemsOf({ ...rest, components: unused, tags: [{ name: "Workflows" }] });
  expect(problems).toEqual([
    expect.stringContaining("tag-description #/tags/0/description"),
    expect.stringContaining("no-unused-components #/components/schemas/Unused"),
  ]);
});
