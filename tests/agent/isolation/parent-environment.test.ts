import { expect, test } from "bun:test";

const LOOK = `import { isInParentEnvironment } from "${import.meta.dir}/../../../agent/isolation/parent-environment.ts";
console.log(isInParentEnvironment("cAnArY-parent-key"));`;

test.skipIf(process.platform !== "linux").each([
  ["stays finds the key", '"$@"; exit $?', "true"],
  ["replaces itself by exec does not find the key", 'exec "$@"', "false"],
])("a search in the environment of a parent that %s", async (_, script, found) => {
  const child = Bun.spawn(["/bin/sh", "-c", script, "sh", process.execPath, "-e", LOOK], {
    env: { KEY: "cAnArY-parent-key" },
    stdout: "pipe",
    stderr: "inherit",
  });
  expect((await new Response(child.stdout).text()).trim()).toBe(found);
});
