import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { z } from "zod";
import { ROOT } from "../../scripts/paths.ts";
import { VENDOR_INTERNALS } from "../../scripts/vendor-internals.ts";

const SOURCES = ["agent", "worker", "schema", "console", "scripts"];
/** `name/lib/…` and `@scope/name/lib/…` in static, lazy and `require` imports. Stylesheets do not count. */
const INTERNAL_IMPORT =
  /(?:from|import|require)\s*\(?\s*"((?:@[^/"]+\/)?[^@./"][^/"]*\/(?:lib|dist|src|build)\/[^"]+(?<!\.css))"/gu;

async function importsIn(folder: string): Promise<string[]> {
  const paths = await Array.fromAsync(new Glob("**/*.{ts,tsx,mjs}").scan(join(ROOT, folder)));
  expect(paths).not.toBeEmpty();
  const found = paths.map(async (path) => {
    const text = await Bun.file(join(ROOT, folder, path)).text();
    return [...text.matchAll(INTERNAL_IMPORT)].map(([, specifier]) => `${folder}/${path} imports ${specifier}`);
  });
  return (await Promise.all(found)).flat();
}

test.each(Object.entries(VENDOR_INTERNALS))(
  "%s is installed in the version whose internals were reviewed",
  async (name, internal) => {
    const { version } = z
      .object({ version: z.string() })
      .parse(await Bun.file(join(ROOT, "node_modules", name, "package.json")).json());
    expect(version).toBe(internal.version);
  },
);

test("only the listed files import internals of packages, and only listed internals", async () => {
  const listed = Object.values(VENDOR_INTERNALS).flatMap(({ imports }) =>
    Object.entries(imports).flatMap(([specifier, files]) => files.map((file) => `${file} imports ${specifier}`)),
  );
  const found = (await Promise.all(SOURCES.map(importsIn))).flat();
  expect(found.toSorted()).toEqual(listed.toSorted());
});

test.each([
  'import x from "tedious/lib/connection.js";',
  'export { x } from "@scope/name/dist/x.js";',
  'await import("pg/lib/result.js")',
  'require("pg/lib/utils.js")',
])("an internal import is found: %s", (line) => {
  expect([...line.matchAll(INTERNAL_IMPORT)]).toHaveLength(1);
});
