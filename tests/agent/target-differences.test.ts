import { expect, test } from "bun:test";
import { targetQuestion } from "../../agent/credentials/describe-target.ts";
import { targetChanged } from "../../agent/vault/target-problems.ts";

const targetWith = (targets: string[], hostKeys: string[] = []) => [
  { type: "ssh", targets, port: 22, username: "ada", ...(hostKeys.length === 0 ? {} : { hostKeys }) },
];
const MANY = Array.from({ length: 100 }, (_, index) => `web-${index}.prod.example.org`);

test("a refusal names the hosts that a list has in addition or no more, however long it is", () => {
  const { message } = targetChanged("con_1", targetWith([...MANY, "db-1"]), targetWith([...MANY, "zz.evil.example"]));
  expect(message).toContain('targets now also has "zz.evil.example" and no longer has "db-1".');
  expect(message).not.toContain("web-1.");
});

test("a refusal names an exchanged host key", () => {
  const keys = (last: string) => [...MANY.map((host) => `${host} SHA256:a`), `db-1 SHA256:${last}`];
  const { message } = targetChanged("con_1", targetWith(["db-1"], keys("b")), targetWith(["db-1"], keys("c")));
  expect(message).toContain('hostKeys now also has "db-1 SHA256:c" and no longer has "db-1 SHA256:b".');
});

test("a refusal with very many new hosts names some, and says how many more there are", () => {
  const { message } = targetChanged("con_1", targetWith(["db-1"]), targetWith(["db-1", ...MANY]));
  expect(message).toMatch(/targets now also has "web-0\.prod\.example\.org", .* and 9\d more\./u);
  expect(message.length).toBeLessThan(600);
});

test("a person who binds a list sees each host in its own line, and what changed", () => {
  const target = targetWith([...MANY, "zz.evil.example\u202e"]);
  const sealed = { version: 1, updatedAt: "2026-01-01T00:00:00.000Z", names: ["password"] };
  const summary = { connectionId: "con_1", ...sealed, target: targetWith(MANY) };
  const lines = targetQuestion(summary, target).split("\n");
  expect(lines.filter((line) => line.startsWith('    "'))).toHaveLength(101);
  expect(lines.slice(lines.indexOf("Changed:"))).toEqual([
    "Changed:",
    String.raw`  targets now also has "zz.evil.example\u{202e}"`,
    "",
  ]);
});
