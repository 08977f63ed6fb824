import { expect, test } from "bun:test";
import { declaredPeers, installPeers, peersIn } from "../../scripts/install-peers.ts";

// In two parts, so that this file declares no package.
const call = (args: string) => `const SSHD = "/usr/sbin/sshd";\nconst missing = debian${`Peer(${args})`};`;

test.each([
  ['SSHD, "openssh-server"', { file: "/usr/sbin/sshd", name: "openssh-server", full: false }],
  ['"/usr/bin/id", "coreutils"', { file: "/usr/bin/id", name: "coreutils", full: false }],
  ['\n  "/usr/bin/id",\n  "coreutils",\n', { file: "/usr/bin/id", name: "coreutils", full: false }],
  ['SSHD, "wine64", { full: true }', { file: "/usr/sbin/sshd", name: "wine64", full: true }],
])("a test's declaration of its Debian package is found: %j", (args, peer) => {
  expect(peersIn(call(args), "tests/a.ts")).toEqual([peer]);
});

test.each(['OTHER, "openssh-server"', "SSHD, NAME", "...both"])(
  "a declaration that cannot be read is refused: %s",
  (args) => {
    expect(() => peersIn(call(args), "tests/a.ts")).toThrow("tests/a.ts");
  },
);

test("the peers of the tests are found", async () => {
  expect((await declaredPeers()).map(({ name }) => name)).toEqual(expect.arrayContaining(["openssh-server", "wine64"]));
});

test("BELLHOP_PEERS=no installs nothing and returns the packages that are missing", async () => {
  const declared = [
    { file: "/usr/bin/env", name: "coreutils", full: false },
    { file: "/no/such/program", name: "no-such-package", full: false },
    { file: "/no/such/large-program", name: "large", full: true },
  ];
  expect(await installPeers({ declared }, { BELLHOP_PEERS: "no" })).toEqual(["no-such-package"]);
  expect(await installPeers({ declared, full: true }, { BELLHOP_PEERS: "no" })).toEqual(["no-such-package", "large"]);
});
