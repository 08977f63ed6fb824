import { existsSync } from "node:fs";

/** The programs that tests speak to, and Debian's packages that hold them. */
const PEERS: Readonly<Record<string, string>> = {
  "/usr/sbin/sshd": "openssh-server",
  "/usr/bin/ssh-keygen": "openssh-client",
  "/usr/bin/python3": "python3",
  "/usr/bin/openssl": "openssl",
  "/usr/bin/busybox": "busybox",
  "/usr/bin/prometheus-alertmanager": "prometheus-alertmanager",
  "/usr/bin/promtool": "prometheus",
  "/usr/share/postgresql-common/pg_wrapper": "postgresql",
  "/usr/sbin/mariadbd": "mariadb-server",
  "/usr/bin/tsql": "freetds-bin",
  "/lib/systemd/systemd": "systemd",
  "/usr/bin/dbus-daemon": "dbus",
  "/usr/lib/polkit-1/polkitd": "polkitd",
  "/usr/bin/sudo": "sudo",
  "/usr/sbin/exim4": "exim4-daemon-light",
  "/usr/sbin/nginx": "nginx-light",
  "/usr/bin/tinyproxy": "tinyproxy",
  "/usr/bin/kubectl": "kubernetes-client",
  "/usr/bin/chromium-headless-shell": "chromium-headless-shell",
  "/usr/lib/python3/dist-packages/gssapi/__init__.py": "python3-gssapi",
  "/usr/lib/python3/dist-packages/winrm/__init__.py": "python3-winrm",
  "/etc/gss/mech.d/mech.ntlmssp.conf": "gss-ntlmssp",
};

/** What only `npm run test:full` speaks to, for it is large. */
const FULL_PEERS: Readonly<Record<string, string>> = {
  "/usr/bin/chromium": "chromium",
  "/usr/lib/wine/wine64": "wine64",
  "/usr/bin/x86_64-w64-mingw32-gcc": "gcc-mingw-w64-x86-64-win32",
};

/** Installs what is missing where it may: as root on Debian. Elsewhere a test that lacks its peer says so by name. */
export async function installPeers({ full = false }: { full?: boolean } = {}): Promise<void> {
  const wanted = full ? { ...PEERS, ...FULL_PEERS } : PEERS;
  const missing = Object.entries(wanted).filter(([file]) => !existsSync(file));
  if (missing.length === 0) return;
  const packages = missing.map(([, name]) => name);
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    console.error(`Not root on Debian: tests that need ${packages.join(", ")} are skipped.`);
    return;
  }
  console.error(`Installing ${packages.join(", ")} …`);
  await apt(["update"]);
  if (await apt(["install", "-y", "--no-install-recommends", ...packages])) return;
  // One package that this machine does not take must not cost the others.
  for (const name of packages) {
    if (await apt(["install", "-y", "--no-install-recommends", name])) continue;
    console.error(`${name} could not be installed: tests that need it are skipped.`);
  }
}

async function apt(args: string[]): Promise<boolean> {
  const child = Bun.spawn(["/usr/bin/apt-get", "-qq", ...args], {
    // A package must not start its service: tests start peers of their own.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  return (await child.exited) === 0;
}
