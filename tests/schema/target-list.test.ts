import { describe, expect, test } from "bun:test";
import { CONNECTION_CONFIGS, connectionTargetSchema } from "../../schema/contract/connection.ts";
import { targetOf, writtenTargetSchema } from "../../schema/contract/credential-target.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { firstHostIn, placeIn, targetListOf, targetsSchema } from "../../schema/contract/target-list.ts";
import { targetLines } from "../../schema/contract/target-labels.ts";

const LABEL_63 = "a".repeat(63);
const NAME_253 = [LABEL_63, LABEL_63, LABEL_63, "b".repeat(61)].join(".");
const KEY = `SHA256:${"a".repeat(43)}`;

/** [entry, whether ssh and winrm accept it, whether http does] */
const ENTRIES: [string, boolean, boolean][] = [
  // Names.
  ["web-1", true, true],
  ["web-1.example.org", true, true],
  ["web-1.example.org:2222", true, true],
  ["1and1.example", true, true],
  ["xn--mnchen-3ya.example.org", true, true],
  [NAME_253, true, true],
  [`${NAME_253}b`, false, false],
  [`${LABEL_63}a.example.org`, false, false],
  ["xn--zzzzzz--.example.org", false, false],
  ["münchen.example.org", false, false],
  ["web．example.org", false, false],
  ["WEB-1.example.org", false, false],
  ["web-1.example.org.", false, false],
  [".example.org", false, false],
  ["web..example.org", false, false],
  ["web_1.example.org", false, false],
  ["-web.example.org", false, false],
  ["web-.example.org", false, false],
  ["web 1.example.org", false, false],
  [" web-1.example.org", false, false],
  ["web-1.example.org\n", false, false],
  ["web-1.example.org\u0000", false, false],
  ["https://web-1.example.org", false, false],
  ["root@web-1.example.org", false, false],
  ["web-1.example.org/path", false, false],
  ["web-1.example.org#x", false, false],
  ["web-1.example.org,web-2.example.org", false, false],
  ["", false, false],
  [".", false, false],
  // Ports.
  ["web-1:1", true, true],
  ["web-1:65535", true, true],
  ["web-1:0", false, false],
  ["web-1:65536", false, false],
  ["web-1:99999", false, false],
  ["web-1:022", false, false],
  ["web-1:+22", false, false],
  ["web-1:2 2", false, false],
  ["web-1:", false, false],
  ["web-1:22:22", false, false],
  [":22", false, false],
  // Addresses.
  ["192.0.2.7", true, false],
  ["192.0.2.7:2222", true, false],
  ["[2001:db8::7]", true, false],
  ["[2001:db8::7]:2222", true, false],
  ["[::1]", true, false],
  ["2001:db8::7", false, false],
  ["[2001:DB8::7]", false, false],
  ["[2001:0db8::7]", false, false],
  ["[2001:db8:0:0:0:0:0:7]", false, false],
  ["[fe80::1%eth0]", false, false],
  ["[fe80::1%25eth0]", false, false],
  ["[::ffff:192.0.2.7]", false, false],
  ["[::1]x", false, false],
  ["[::1", false, false],
  ["[web-1]", false, false],
  ["192.0.2", false, false],
  ["192.0.2.256", false, false],
  ["192.0.2.07", false, false],
  ["0xc0.0.2.7", false, false],
  ["3221225991", false, false],
  ["0x7f000001", false, false],
  ["web.0x7f", false, false],
  ["web.7", false, false],
  // Patterns.
  ["web-*.example.org", true, true],
  ["*-web.example.org", true, true],
  ["*.example.org", true, true],
  ["web-*.*.example.org", true, true],
  ["web-*.example.org:2222", true, true],
  ["*", false, false],
  ["*:22", false, false],
  ["*.org", false, false],
  ["web-*.org", false, false],
  ["web-*", false, false],
  ["*.*", false, false],
  ["*.*.*", false, false],
  ["web.*.org", false, false],
  ["web.example.*", false, false],
  ["**.example.org", false, false],
  ["w*b*.example.org", false, false],
  ["xn--*.example.org", false, false],
  ["-*.example.org", false, false],
  ["web-?.example.org", false, false],
  ["web-[12].example.org", false, false],
  ["!web.example.org", false, false],
  ["192.0.2.*", false, false],
  ["*.0.2.7", false, false],
  ["*.2.7.example", true, true],
  ["[2001:db8::*]", false, false],
  ["WEB-*.example.org", false, false],
];

test.each(ENTRIES)("the target %j is accepted as written (ssh: %p, http: %p)", (entry, ssh, http) => {
  expect(targetsSchema({ addresses: true }).safeParse([entry]).success).toBe(ssh);
  expect(targetsSchema({ addresses: false }).safeParse([entry]).success).toBe(http);
});

test.each([
  ["a.example.org,b.example.org", "must be one host"],
  ["a.example.org b.example.org", "must be one host"],
  ["10.0.0.*", "must be an address without *"],
  ["10.0.0.*:22", "must be an address without *"],
  ["*.org", "must be a pattern with one *"],
])("the entry %j is refused with what to write instead", (entry, says) => {
  const { error } = targetsSchema({ addresses: true }).safeParse([entry]);
  expect(error?.issues[0]?.message).toStartWith(says);
});

const PLACES: [targets: string[], target: string, place: string | null][] = [
  [["web-1.example.org"], "web-1.example.org", "web-1.example.org 22"],
  [["web-1.example.org"], "web-1.example.org:22", "web-1.example.org 22"],
  [["web-1.example.org:22"], "web-1.example.org", "web-1.example.org 22"],
  [["web-1.example.org"], "web-1.example.org:2222", null],
  [["web-1.example.org:2222"], "web-1.example.org", null],
  [["web-1.example.org:2222"], "web-1.example.org:2222", "web-1.example.org 2222"],
  [["web-1.example.org"], "web-2.example.org", null],
  [["web-1.example.org"], "web-1.example.org.evil.example", null],
  [["web-1.example.org"], "evil.web-1.example.org", null],
  [["192.0.2.7", "[2001:db8::7]:2222"], "192.0.2.7", "192.0.2.7 22"],
  [["192.0.2.7", "[2001:db8::7]:2222"], "[2001:db8::7]:2222", "2001:db8::7 2222"],
  [["192.0.2.7"], "192.0.2.70", null],
  [["192.0.2.7"], "3221225991", null],
  [["web-*.example.org"], "web-1.example.org", "web-1.example.org 22"],
  [["web-*.example.org"], "web-eu-1.example.org", "web-eu-1.example.org 22"],
  [["web-*.example.org"], "web-.example.org", null],
  [["web-*.example.org"], "web-1.eu.example.org", null],
  [["web-*.example.org"], "web-1.example.org.evil.example", null],
  [["web-*.example.org"], "web-1.example.com", null],
  [["web-*.example.org"], "xweb-1.example.org", null],
  [["web-*.example.org"], "web-*.example.org", null],
  [["web-*.example.org"], "web-1.example.org:2222", null],
  [["web-*.example.org:2222"], "web-1.example.org:2222", "web-1.example.org 2222"],
  [["*-web.example.org"], "a-web.example.org", "a-web.example.org 22"],
  [["a*a.example.org"], "a.example.org", null],
  [["a*a.example.org"], "aa.example.org", null],
  [["a*a.example.org"], "aba.example.org", "aba.example.org 22"],
  [["*.example.org"], "example.org", null],
  [["web-*.*.example.org"], "web-1.eu.example.org", "web-1.eu.example.org 22"],
  [["web-*.a*b.example.org"], "web-1.axb.example.org", "web-1.axb.example.org 22"],
  [["web-*.a*b.example.org"], "web-1.ab.example.org", null],
  [["web-*.eu.*.example.org"], "web-1.us.a.example.org", null],
  [["web-*.*.example.org"], "web-1.example.org", null],
  // In hostile lists: neither the service nor the agent reads these as patterns.
  [["*", "*.*", "*.org", "**", ""], "web.example.org", null],
  [["*.0.2.7", "192.0.2.*"], "192.0.2.7", null],
  // Spellings that only the service normalizes, and texts that are no host.
  [["web-1.example.org"], "WEB-1.example.org", null],
  [["web-1.example.org"], "web-1.example.org.", null],
  [["web-1.example.org"], "web-1.example.org\n", null],
  [["web-1.example.org"], "web-1.example.org\u0000", null],
  [["web-1.example.org"], "x@web-1.example.org", null],
  [["web-*.example.org"], "web-1/../.example.org", null],
  [["web-*.example.org"], "web-1%2e.example.org", null],
  [["web-*.example.org"], "web-１.example.org", null],
  [["web-*.example.org"], "", null],
  [[], "web-1.example.org", null],
];

test.each(PLACES)("with the targets %j, %j leads to %p", (targets, target, place) => {
  const found = placeIn({ targets, port: 22 }, target);
  expect(found === null ? null : `${found.host} ${found.port}`).toBe(place);
});

test("a very long target is refused quickly", () => {
  const begunAt = performance.now();
  for (const long of [
    "a".repeat(1_000_000),
    "a.".repeat(500_000),
    ":".repeat(1_000_000),
    `${"[".repeat(1_000_000)}]`,
  ]) {
    expect(placeIn({ targets: ["*.example.org"], port: 22 }, long)).toBeNull();
  }
  expect(performance.now() - begunAt).toBeLessThan(5_000);
});

test("a list is read once, however many hosts are compared with it", () => {
  let reads = 0;
  const targets = Array.from({ length: 200 }, (_, index) => `web${index}-*.example.org`);
  const list = {
    port: 22,
    get targets() {
      reads++;
      return targets;
    },
  };
  const hosts = Array.from({ length: 1_000 }, (_, index) => `web199-${index}.example.org`);
  expect(hosts.filter((host) => placeIn(list, host) !== null)).toEqual(hosts);
  expect(placeIn(list, "web200-1.example.org")).toBeNull();
  expect(reads).toBe(1);
});

test("two lists of the same hosts with other ports are two lists", () => {
  const targets = ["web-1.example.org", "db-*.example.org"];
  for (const port of [22, 2222]) {
    const list = { targets, port };
    expect(placeIn(list, "web-1.example.org:22") !== null).toBe(port === 22);
    expect(placeIn(list, "db-1.example.org:2222") !== null).toBe(port === 2222);
  }
});

test("the first host of a list is no pattern", () => {
  expect(firstHostIn({ targets: ["*.example.org", "web-1.example.org", "web-2"], port: 22 })).toBe("web-1.example.org");
  expect(firstHostIn({ targets: ["*.example.org"], port: 22 })).toBeNull();
});

const LIST = ["web-*.example.org", "db-1"];
const SSH = { targets: LIST, username: "ada", authMethod: "password" };
const WINRM = { targets: LIST, port: 5986, useSsl: true, authMethod: "ntlm" };
const HTTP = { targets: LIST, authType: "bearer" };

describe("a configuration with targets", () => {
  test.each([
    ["ssh", { ...SSH, hostKeys: [`web-1.example.org ${KEY}`, `256 ${KEY} db-1 (RSA)`] }],
    ["winrm", WINRM],
    ["http", { ...HTTP, basePath: "/v2" }],
  ] as const)("of type %s is accepted, and its target has the list", (type, config) => {
    const target = targetOf(connectionTargetSchema.parse({ type, config }));
    expect(target[0]).toMatchObject({ type, targets: ["db-1", "web-*.example.org"] });
    expect(targetListOf(target[0] ?? {})?.targets).toEqual(["db-1", "web-*.example.org"]);
    expect(writtenTargetSchema.parse(target)).toEqual(target);
    expect(targetLines(target)).toContainEqual({ label: "Hosts", value: "db-1\nweb-*.example.org" });
  });

  const refused: [type: "ssh" | "winrm" | "http", what: string, config: JsonObject, path: string][] = [
    ["ssh", "neither a host nor targets", { username: "ada", authMethod: "password" }, "host"],
    ["ssh", "both", { ...SSH, host: "web-1" }, "targets"],
    ["ssh", "an empty list", { ...SSH, targets: [] }, "targets"],
    ["ssh", "201 targets", { ...SSH, targets: Array.from({ length: 201 }, (_, index) => `web-${index}`) }, "targets"],
    ["ssh", "a pattern that matches everything", { ...SSH, targets: ["db-1", "*"] }, "targets.1"],
    ["ssh", "a target twice", { ...SSH, targets: ["db-1", "db-1"] }, "targets.1"],
    ["ssh", "a text in place of the list", { ...SSH, targets: "db-1" }, "targets"],
    ["ssh", "a number in the list", { ...SSH, targets: [7] }, "targets.0"],
    ["ssh", "one key for all hosts", { ...SSH, hostKeyFingerprint: KEY }, "hostKeyFingerprint"],
    [
      "ssh",
      "host keys for one host",
      { host: "a", username: "ada", authMethod: "password", hostKeys: [`a ${KEY}`] },
      "hostKeys",
    ],
    ["ssh", "a key in another form", { ...SSH, hostKeys: ["web-1.example.org ssh-ed25519 AAAA"] }, "hostKeys.0"],
    ["ssh", "the key of another host", { ...SSH, hostKeys: [`db-1 ${KEY}`, `db-2 ${KEY}`] }, "hostKeys.1"],
    ["winrm", "neither", { port: 5986, useSsl: true, authMethod: "ntlm" }, "host"],
    ["winrm", "both", { ...WINRM, host: "web-1" }, "targets"],
    ["winrm", "no HTTPS", { ...WINRM, useSsl: false }, "useSsl"],
    ["http", "neither", { authType: "none" }, "baseUrl"],
    ["http", "both", { ...HTTP, baseUrl: "https://a.example.org" }, "targets"],
    ["http", "an address", { ...HTTP, targets: ["192.0.2.7"] }, "targets.0"],
    ["http", "no verification", { ...HTTP, verifySsl: false }, "verifySsl"],
    [
      "http",
      "a base path with one address",
      { baseUrl: "https://a.example.org", authType: "none", basePath: "/v2" },
      "basePath",
    ],
    ["http", "a base path with a query", { ...HTTP, basePath: "/v2?x=1" }, "basePath"],
    ["http", "a base path that leads up", { ...HTTP, basePath: "/v2/%2e%2e/admin" }, "basePath"],
    ["http", "a base path that is another host", { ...HTTP, basePath: "//evil.example" }, "basePath"],
    ["http", "a base path without its slash", { ...HTTP, basePath: "v2" }, "basePath"],
    ["http", "a base path with a login", { ...HTTP, basePath: "@evil.example" }, "basePath"],
  ];
  test.each(refused)("of type %s is refused with the path of the problem: %s", (type, _what, config, path) => {
    const { issues } = CONNECTION_CONFIGS[type].safeParse(config).error ?? { issues: [] };
    expect(issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });
});
