import { expect, test } from "bun:test";
import { isJsonObject, objectOf } from "../../schema/contract/json-object.ts";

const WRITTEN_OUT = /typeof (\S+) === "object" && \1 !== null && !Array\.isArray\(\1\)/u;

test("a JSON object is not a list, null or text", () => {
  expect([{ a: 1 }, {}, [], null, "x", 1, undefined].map(isJsonObject)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
  expect([{ a: 1 }, [1], null].map(objectOf)).toEqual([{ a: 1 }, {}, {}]);
});

test("no other product file repeats this rule", async () => {
  const found: string[] = [];
  for await (const path of new Bun.Glob("{agent,console,schema,worker}/**/*.{ts,tsx}").scan()) {
    if (WRITTEN_OUT.test(await Bun.file(path).text())) found.push(path);
  }
  expect(found).toEqual(["schema/contract/json-object.ts"]);
});
