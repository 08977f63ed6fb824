import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianPeer } from "../debian-peer.ts";
import { eventually } from "../eventually.ts";
import { BASE_UNITS, BOOT_SCRIPT, POLKIT_RULE } from "./machine.ts";

const PROGRAMS = {
  systemd: "/lib/systemd/systemd",
  systemctl: "/usr/bin/systemctl",
  "systemd-run": "/usr/bin/systemd-run",
  journalctl: "/usr/bin/journalctl",
  journald: "/lib/systemd/systemd-journald",
  unshare: "/usr/bin/unshare",
  nsenter: "/usr/bin/nsenter",
  setpriv: "/usr/bin/setpriv",
  dbus: "/usr/bin/dbus-daemon",
  polkit: "/usr/lib/polkit-1/polkitd",
};
/** Of `daemon`, the user in POLKIT_RULE. */
const UNPRIVILEGED_ID = 1;

/** Why systemd cannot boot here; null where it can. */
export const systemdMissing: string | null = whyMissing();

/**
 * A real systemd with journal, D-Bus and polkit, booted in separate namespaces: its processes, its /run, /dev and
 * control groups are not the host's, and a restart of the system ends only this one.
 */
export class Systemd {
  /**
   * Directories for the front of PATH: the programs in this one talk to the machine as root, those in
   * `unprivilegedPrograms` as an ordinary user.
   */
  readonly programs: string;
  readonly unprivilegedPrograms: string;
  #outer: Bun.Subprocess | null = null;
  #pid = 0;

  private constructor(
    readonly directory: string,
    private readonly cgroup: string,
  ) {
    this.programs = join(directory, "programs");
    this.unprivilegedPrograms = join(directory, "unprivileged");
  }

  static async start(): Promise<Systemd> {
    const directory = await mkdtemp(join(tmpdir(), "bellhop-systemd-"));
    await chmod(directory, 0o755);
    const cgroup = join(cgroup2Mount() ?? "", `bellhop-test-${crypto.randomUUID()}`);
    const machine = new Systemd(directory, cgroup);
    try {
      await machine.#boot();
    } catch (error) {
      await machine.stop();
      throw error;
    }
    return machine;
  }

  get running(): boolean {
    return this.#outer !== null && this.#outer.exitCode === null && this.#outer.signalCode === null;
  }

  /** Installs units by name. */
  async install(units: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(units)) await writeFile(this.path(`/run/units/${name}`), text);
    await this.systemctl("daemon-reload");
  }

  /** The host's path for a path of the machine. */
  path(path: string): string {
    return `/proc/${this.#pid}/root${path}`;
  }

  /** The output of systemctl as root on the machine, for any exit code. */
  async systemctl(...args: string[]): Promise<string> {
    const { stdout } = await this.run(["systemctl", ...args]);
    return stdout.trim();
  }

  /** Runs a program on the machine. Secrets belong in its environment: every user sees a command line. */
  async run(
    command: string[],
    env?: Record<string, string>,
  ): Promise<{ stdout: string; stderr: string; exitCode: number }> {
    const child = Bun.spawn([PROGRAMS.nsenter, ...this.#namespaces(), "--", ...command], {
      ...(env === undefined ? {} : { env }),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, exitCode] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { stdout, stderr, exitCode };
  }

  /** Whether a program that the agent started on the machine still runs; `start -- web.service` finds it. */
  isRunning(args: string): boolean {
    return readdirSync(this.path("/proc")).some((pid) => /^\d+$/u.test(pid) && this.#arguments(pid).includes(args));
  }

  async stop(): Promise<void> {
    // Killing the first process of the namespace ends all others in it; its parent then collects it and ends, too.
    if (this.#pid > 0 && this.running) process.kill(this.#pid, "SIGKILL");
    else this.#outer?.kill("SIGKILL");
    await this.#outer?.exited;
    if (existsSync(this.cgroup)) {
      await eventually("the machine's control groups to be empty", async () => {
        for (const group of groupsUnder(this.cgroup)) await rmdir(group);
        return true;
      });
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  async #boot(): Promise<void> {
    const units = join(this.directory, "units");
    await mkdir(units);
    for (const [name, text] of Object.entries(BASE_UNITS)) await writeFile(join(units, name), text);
    await writeFile(join(this.directory, "allow.rules"), POLKIT_RULE);
    await writeFile(join(this.directory, "boot.sh"), BOOT_SCRIPT);
    await mkdir(this.cgroup);
    const enter = `echo $$ > "$1/cgroup.procs" && shift && exec "$@"`;
    const namespaces = ["--mount", "--pid", "--fork", "--uts", "--ipc", "--net", "--cgroup", "--kill-child"];
    const boot = [PROGRAMS.unshare, ...namespaces, "/bin/sh", join(this.directory, "boot.sh"), this.directory];
    this.#outer = Bun.spawn(["/bin/sh", "-c", enter, "enter", this.cgroup, ...boot], {
      stdin: "ignore",
      stdout: Bun.file(join(this.directory, "log")),
      stderr: Bun.file(join(this.directory, "errors")),
    });
    const outer = this.#outer.pid;
    await eventually("systemd to be the first process of the machine", async () => {
      if (!this.running) throw new Error(await readFile(join(this.directory, "errors"), "utf8"));
      this.#pid = Number(readFileSync(`/proc/${outer}/task/${outer}/children`, "utf8").trim().split(" ")[0]);
      return this.#pid > 0 && readFileSync(`/proc/${this.#pid}/comm`, "utf8").trim() === "systemd";
    });
    await eventually("the machine to be up", async () => (await this.systemctl("is-system-running")) === "running");
    await this.#writePrograms(this.programs, []);
    const asUnprivileged = [
      PROGRAMS.setpriv,
      `--reuid=${UNPRIVILEGED_ID}`,
      `--regid=${UNPRIVILEGED_ID}`,
      "--clear-groups",
      "--",
    ];
    await this.#writePrograms(this.unprivilegedPrograms, asUnprivileged);
  }

  /** The programs refuse to run on any other machine: a process number can be reused. */
  async #writePrograms(directory: string, as: readonly string[]): Promise<void> {
    await mkdir(directory);
    await writeFile(this.path("/run/bellhop-test"), this.directory);
    for (const name of ["systemctl", "systemd-run", "journalctl"] as const) {
      const text = `#!/bin/sh
# On the machine itself, as its timers run it.
[ "$(/bin/cat /run/bellhop-test 2>/dev/null)" = ${this.directory} ] && exec ${PROGRAMS[name]} "$@"
[ "$(/bin/cat ${this.path("/run/bellhop-test")} 2>/dev/null)" = ${this.directory} ] || {
  echo "the test's systemd is gone" >&2
  exit 96
}
exec ${PROGRAMS.nsenter} ${[...this.#namespaces(), "--", ...as].join(" ")} ${PROGRAMS[name]} "$@"
`;
      await writeFile(join(directory, name), text, { mode: 0o755 });
    }
  }

  #namespaces(): string[] {
    return ["--target", String(this.#pid), "--mount", "--pid", "--cgroup", "--uts", "--ipc", "--net"];
  }

  #arguments(pid: string): string {
    try {
      return readFileSync(this.path(`/proc/${pid}/cmdline`), "utf8").replaceAll("\0", " ");
    } catch {
      return "";
    }
  }
}

function groupsUnder(group: string): string[] {
  const inner = readdirSync(group, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [...inner.flatMap(({ name }) => groupsUnder(join(group, name))), group];
}

function cgroup2Mount(): string | null {
  const line = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .find((mount) => mount.includes(" - cgroup2 "));
  return line?.split(" ")[4] ?? null;
}

function whyMissing(): string | null {
  if (process.platform !== "linux") return "systemd is for Linux only";
  const packages =
    debianPeer("/lib/systemd/systemd", "systemd") ??
    debianPeer("/usr/bin/dbus-daemon", "dbus") ??
    debianPeer("/usr/lib/polkit-1/polkitd", "polkitd");
  if (packages !== null) return packages;
  const missing = Object.values(PROGRAMS).find((program) => !existsSync(program));
  if (missing !== undefined) return `${missing} is not installed`;
  if (process.getuid?.() !== 0) return "only root can boot a separate systemd for a test";
  if (cgroup2Mount() === null) return "no control groups of version 2 are mounted";
  const capabilities = /CapEff:\s*([0-9a-f]+)/u.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  const mayMount = (BigInt(`0x${capabilities}`) >> 21n) & 1n;
  return mayMount === 1n ? null : "this root may make no namespaces (CAP_SYS_ADMIN)";
}
