import { describe, expect, test } from "bun:test";
import { CONNECTION_CONFIGS } from "../../schema/contract/connection.ts";
import { hostKeyIn, hostKeysOf } from "../../schema/contract/host-keys.ts";

const KEY = `SHA256:${"a".repeat(43)}`;

test("a host key is read as people write it and as ssh-keygen prints it, and in no other form", () => {
  const host = "web-1.example.org";
  expect(hostKeyIn(`${host} ${KEY}`)).toEqual({ host, port: null, fingerprint: KEY });
  expect(hostKeyIn(`${host}:2222  ${KEY}=`)).toEqual({ host, port: 2222, fingerprint: KEY });
  expect(hostKeyIn(`256 ${KEY} ${host} (ED25519)`)).toEqual({ host, port: 22, fingerprint: KEY });
  expect(hostKeyIn(`256 ${KEY} [${host}]:2222 (ED25519)`)).toEqual({ host, port: 2222, fingerprint: KEY });
  const address = { host: "2001:db8::7", port: 22, fingerprint: KEY };
  expect(hostKeyIn(`[2001:db8::7]:22 ${KEY}`)).toEqual(address);
  expect(hostKeyIn(`256 ${KEY} 2001:db8::7 (ED25519)`)).toEqual(address);
  expect(hostKeyIn(`256 ${KEY} [2001:db8::7]:2222 (ED25519)`)).toEqual({ ...address, port: 2222 });
  for (const text of [
    "",
    host,
    KEY,
    `${KEY} ${host}`,
    `* ${KEY}`,
    `2001:db8::7 ${KEY}`,
    `256 ${KEY} ::1]/x[ (ED25519)`,
    `[${host}]:2222 ${KEY}`,
    `*.example.org ${KEY}`,
    `${host} MD5:aa`,
    `${host} ${KEY}x`,
    `256 ${KEY} no comment (ED25519)`,
  ]) {
    expect([text, hostKeyIn(text)]).toEqual([text, null]);
  }
  const keys = [`${host} ${KEY}`, `web-2 ${KEY.replace("a", "b")}`, `${host}:2222 ${KEY.replaceAll("a", "c")}`];
  expect(hostKeysOf(keys, { host, port: 22 }, 22)).toEqual([KEY]);
  expect(hostKeysOf(keys, { host: "web-3", port: 22 }, 22)).toEqual([]);
});

describe("a configuration of ssh with host keys", () => {
  const parse = (hostKeys: string[]) => {
    const targets = ["web-*.example.org", "web-1.example.org:2222", "db-1"];
    return CONNECTION_CONFIGS.ssh.safeParse({ targets, username: "ada", authMethod: "password", hostKeys });
  };

  test("has them in their normal form", () => {
    const normal = [`web-1.example.org:2222 ${KEY}`, `db-1 ${KEY}`, `web-2.example.org:22 ${KEY}`];
    const written = [
      `256 ${KEY} [web-1.example.org]:2222 (ED25519)`,
      ` db-1 \t ${KEY}= `,
      `256 ${KEY} web-2.example.org (ED25519)`,
    ];
    for (const hostKeys of [written, normal]) expect(parse(hostKeys).data?.hostKeys).toEqual(normal);
  });

  test("has as many as a long list needs, and no more bytes than can be stored", () => {
    const keysOf = (name: string) =>
      Array.from({ length: 1_000 }, (_, index) => `web-${name}-${index}.example.org ${KEY}`);
    expect(parse(keysOf("production")).success).toBe(true);
    const { issues } = parse(keysOf("a".repeat(40))).error ?? { issues: [] };
    expect(issues).toMatchObject([{ path: ["hostKeys"], message: expect.stringContaining("at most 98304") }]);
  });

  test.each<[what: string, second: string]>([
    ["one that is there already, as ssh-keygen prints it", `256 ${KEY} db-1 (RSA)`],
    ["more blanks than a line has", `web-1.example.org${" ".repeat(400)}${KEY}`],
    ["megabytes of blanks", `${" ".repeat(3_000_000)}web-1.example.org ${KEY}`],
  ])("is refused with %s", (_what, second) => {
    const { issues } = parse([`db-1:22 ${KEY}`, second]).error ?? { issues: [] };
    expect(issues.map(({ path }) => path)).toEqual([["hostKeys", 1]]);
  });
});
