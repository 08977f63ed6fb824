import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { jsonValueSchema } from "../../schema/contract/json.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { readYaml } from "../../worker/domain/workflow-file/read-yaml.ts";
import { writeYaml } from "../../worker/domain/workflow-file/write-yaml.ts";
import { debianPeer } from "../support/debian-peer.ts";

/** Texts that some YAML parser has read as another value. */
const NASTY = [
  "on off yes no y n null ~ true False 0o14 0x1F 1e3 1_000 12:30:45 .inf .nan -0 +1 1. 2024-01-01 << = - ? ! & * %".split(
    " ",
  ),
  [
    "",
    " ",
    "a ",
    " a",
    "\t",
    "a\t",
    "- a",
    "a: b",
    "a:",
    "#",
    "a #b",
    "[a",
    "{a",
    "{{webhook.x}}",
    "'",
    '"',
    "\\",
    "\\n",
  ],
  ["\n", "\n\n", "a\n", "a\n\n", "\na", " \na", "  a\nb", "\ta\nb", "a\n b\n", "a \nb ", "a\nb\n  ", "a\n\t\n", "\n\t"],
  ["a\r\nb", "a\rb", "\u0085", "\u2028", "\ufeff", "a\u0000b", "\u007f", "\u001b[31m", "\ud800", "a\n\ud800", "\uffff"],
  [
    "---",
    "x\n---\ny",
    "x\n...\ny",
    "#!/bin/bash\nset -eu\n\techo hi  \n",
    "é 漢字 😀\nü",
    "x".repeat(3_000),
    `${"word ".repeat(400)}\nb`,
  ],
].flat();
const text = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(..."a \n\t\r:#-'\"|>{}[]&*!%é\u2028"), maxLength: 12 }),
);
const name = text.filter((key) => key !== "__proto__");
const value = fc.letrec<{ any: JsonValue }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.constantFrom(true, false, null, 0, 1, -1, 2 ** 60, 1e300, 5e-324),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie("any")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
})).any;

describe("a value in YAML", () => {
  test("reads back as itself, and is written again with the same bytes", () => {
    fc.assert(
      fc.property(value, (any) => {
        const written = writeYaml({ any, edges: [{ from: "a", to: any }] }, "a comment");
        const read = readYaml(written);
        if (!read.ok) throw new Error(`${JSON.stringify(read.errors)}\n${written}`);
        expect(JSON.stringify(read.value)).toBe(JSON.stringify({ any, edges: [{ from: "a", to: any }] }));
        expect(writeYaml(read.value, "a comment")).toBe(written);
      }),
      { numRuns: 1_500 },
    );
  });

  test.each(NASTY.map((member) => [member]))("the text %j stays a text, as a value and as a key", (member) => {
    const any = { [member]: member, list: [member, [member]] };
    const read = readYaml(writeYaml(any));
    expect(read.ok ? read.value : read.errors).toEqual(any);
  });

  test("JSON reads as the result of JSON.parse", () => {
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2, "\t"), (any, space) => {
        const json = JSON.stringify({ any }, null, space);
        const read = readYaml(json);
        expect(read.ok ? JSON.stringify(read.value) : read.errors).toBe(JSON.stringify(JSON.parse(json)));
      }),
      { numRuns: 300 },
    );
  });

  test("scripts are block literals, each edge is on one line, and nothing is folded", () => {
    const script = `#!/bin/bash\nset -eu\necho "{{webhook.host}}"  # ${"long ".repeat(40)}\n`;
    expect(writeYaml({ script, edges: [{ from: "a", to: "b", on: "true" }] }, "first")).toBe(
      `# first\nscript: |\n${script.replaceAll(/^(?=.)/gmu, "  ")}edges:\n  - { from: a, to: b, "on": "true" }\n`,
    );
  });
});

describe("other readers", () => {
  const missing = debianPeer("/usr/lib/python3/dist-packages/yaml/__init__.py", "python3-yaml");
  const all = [...NASTY, "a\tb", "=", "\u009f", "\u2029", "\ufffe", "a \u0085 b", "a\u2028b\nc"];
  // PyYAML refuses a key of more than 1,024 characters on one line, as edges are written. No edge has one.
  const whole = all.filter((member) => member.isWellFormed() && member.length < 1_000);

  test.skipIf(missing !== null)(`PyYAML reads the written values and keys ${missing ?? ""}`, () => {
    const any = Object.fromEntries(whole.map((member) => [member, [member, { edges: [{ [member]: member }] }]]));
    const code = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin.buffer.read().decode())))";
    const { stdout, stderr } = Bun.spawnSync(["/usr/bin/python3", "-c", code], {
      stdin: Buffer.from(writeYaml({ any })),
    });
    expect(stderr.toString()).toBe("");
    expect(JSON.parse(stdout.toString())).toEqual({ any });
  });

  test.each<[text: string, yaml: string]>([
    ["a\tb", 'x: "a\\tb"\n'],
    ["=", 'x: "="\n'],
    ["a=b", "x: a=b\n"],
    ["\u007f\u0080\u0085\u009f", 'x: "\\u007f\\u0080\\u0085\\u009f"\n'],
    ["\u2028\u2029\ufeff\ufffe\uffff", 'x: "\\u2028\\u2029\\ufeff\\ufffe\\uffff"\n'],
    ["\\\u0085", 'x: "\\\\\\u0085"\n'],
    ["é\u00a0漢😀", "x: é\u00a0漢😀\n"],
  ])("%j is written so that other readers accept it", (text, yaml) => {
    expect(writeYaml({ x: text })).toBe(yaml);
  });
});

describe("a refused workflow file names the place of", () => {
  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  const bomb = ["a: &a [1,1,1,1,1,1,1,1,1,1]"];
  for (const [index, letter] of [..."bcdefg"].entries()) {
    bomb.push(`${letter}: &${letter} [${`*${"abcdef"[index]},`.repeat(10)}]`);
  }
  test.each<[what: string, yaml: string, path: string, message: string, line: number, column: number]>([
    ["an empty file", "", "", "is empty", 1, 1],
    ["a file with only a comment", "# hello\n", "", "is empty", 1, 1],
    ["a broken list", "a: 1\nb: [1\nc: 2\n", "", "is not YAML", 3, 1],
    ["a tab as indentation", "a:\n\tb: 1\n", "", "is not YAML", 2, 1],
    ["a duplicate key", "a:\n  b: 1\n  b: 2\n", "a.b", "twice", 3, 3],
    ["a duplicate key in JSON", '{"a": 1,\n "a": 2}', "a", "twice", 2, 2],
    ["a second document", "a: 1\n---\nb: 2\n", "", "second document", 2, 1],
    ["a custom tag", "a:\n  - !secret x\n", "a.0", "tag", 2, 13],
    ["binary data", "a: !!binary aGk=\n", "a", "tag", 1, 13],
    ["a key that is a list", "? [a]\n: 1\n", "", "is not YAML", 1, 3],
    ["the key of prototypes", "a:\n  __proto__: 1\n", "a.__proto__", "not accepted", 2, 3],
    ["a value that is not a number", "a: .nan\n", "a", "JSON does not have", 1, 4],
    ["a number that would lose digits", "a: 12345678901234567890123\n", "a", "quotes", 1, 4],
    ["an alias without an anchor", "a: *x\n", "a", "no anchor", 1, 4],
    ["an alias of the list that contains it", "a: &a [*a]\n", "a.0", "no anchor", 1, 8],
    ["lists that nest too deep", deep(66), Array.from({ length: 65 }, () => "0").join("."), "deeper than 64", 1, 66],
    ["lists that nest deeper than any stack", deep(100_000), "", "deeper than 64", 1, 1],
    ["aliases that grow without end", bomb.join("\n"), "", "more than 50000 values", 0, 0],
  ])("%s", (_what, yaml, path, message, line, column) => {
    const read = readYaml(yaml);
    const error = read.ok ? undefined : read.errors.find((one) => one.message.includes(message));
    expect(error).toBeDefined();
    if (error === undefined || line === 0) return;
    if (yaml.length > 10_000) expect(error).toMatchObject({ path });
    else expect(error).toMatchObject({ path, line, column });
  });

  test("a thousand problems are shortened to a few lines", () => {
    const read = readYaml("}\n".repeat(1_000));
    expect(read.ok ? 0 : read.errors.length).toBe(20);
  });
});

test("aliases are copies, and merge keys are plain keys", () => {
  const read = readYaml("a: &a {x: 1}\nb: *a\nc: &d text\nd: *d\n<<: 1\n");
  expect(read.ok ? read.value : read.errors).toEqual({ a: { x: 1 }, b: { x: 1 }, c: "text", d: "text", "<<": 1 });
});

test("special words of older YAML stay texts, for any version that the file names", () => {
  const read = readYaml("%YAML 1.1\n---\na: yes\nb: 010\nc: 1_000\n");
  expect(read.ok ? read.value : read.errors).toEqual({ a: "yes", b: 10, c: "1_000" });
});

test("a path gives its place in the file, and a missing one the place of its nearest parent", () => {
  const read = readYaml('name: x\ndefinition:\n  nodes:\n    - id: a\n      type: delay\n    - {id: b}\n"a.b": 1\n');
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  expect(jsonValueSchema.parse(read.value)).toBeDefined();
  expect(read.locate("definition.nodes.0.type")).toEqual({ line: 5, column: 7 });
  expect(read.locate("definition.nodes.1")).toEqual({ line: 6, column: 7 });
  expect(read.locate("definition.nodes.1.seconds")).toEqual({ line: 6, column: 7 });
  expect(read.locate("definition.edges")).toEqual({ line: 2, column: 1 });
  expect(read.locate("trigger")).toEqual({ line: 1, column: 1 });
  expect(read.locate("a.b")).toEqual({ line: 7, column: 1 });
});
