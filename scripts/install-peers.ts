import { existsSync } from "node:fs";

/** The programs that tests speak to, and Debian's packages that hold them. */
const PEERS: Readonly<Record<string, string>> = {
  "/usr/sbin/sshd": "openssh-server",
  "/usr/bin/ssh-keygen": "openssh-client",
  "/usr/bin/python3": "python3",
  "/usr/bin/openssl": "openssl",
  "/usr/bin/prometheus-alertmanager": "prometheus-alertmanager",
};

/** Installs what is missing where it may: as root on Debian. Elsewhere a test that lacks its peer says so by name. */
export async function installPeers(): Promise<void> {
  const missing = Object.entries(PEERS).filter(([file]) => !existsSync(file));
  if (missing.length === 0) return;
  const packages = missing.map(([, name]) => name);
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    console.error(`Not root on Debian: tests that need ${packages.join(", ")} are skipped.`);
    return;
  }
  console.error(`Installing ${packages.join(", ")} …`);
  await apt(["update"]);
  await apt(["install", "-y", "--no-install-recommends", ...packages]);
}

async function apt(args: string[]): Promise<void> {
  const child = Bun.spawn(["/usr/bin/apt-get", "-qq", ...args], {
    // A package must not start its service: tests start peers of their own.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  if ((await child.exited) !== 0) console.error(`apt-get ${args[0] ?? ""} failed; tests that lack a peer are skipped.`);
}
