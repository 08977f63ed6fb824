import { expect } from "bun:test";
import { mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianPeer } from "./debian-peer.ts";
import { standIn } from "./test-release.ts";

/** The shells for install.sh; `missing` says why one is skipped. */
export const SHELLS = [
  { shell: "dash", command: ["/usr/bin/dash"], reason: debianPeer("/usr/bin/dash", "dash") },
  { shell: "bash", command: ["/usr/bin/bash"], reason: debianPeer("/usr/bin/bash", "bash") },
  { shell: "busybox sh", command: ["/usr/bin/busybox", "sh"], reason: debianPeer("/usr/bin/busybox", "busybox") },
].map(({ reason, ...one }) => ({ ...one, missing: reason === null ? "" : ` (skipped: ${reason})` }));
/** The programs that the script needs; a test removes or replaces one of them. */
const PROGRAMS =
  "cat chmod curl cut dirname getconf grep gzip id ldd ls mkdir mktemp mv openssl rm rmdir sed sha256sum tail tr uname wget".split(
    " ",
  );

export interface Machine {
  /** The agent's place: below a directory that does not exist yet. */
  directory: string;
  home: string;
  path: string;
}

const roots: string[] = [];

/** For `afterAll`. */
export async function removeMachines(): Promise<void> {
  await Promise.all(roots.splice(0).map((root) => rm(root, { recursive: true, force: true })));
}

/** A machine's programs: `without` some, with others replaced. */
export async function machine(
  options: { without?: readonly string[]; programs?: Readonly<Record<string, string>> } = {},
): Promise<Machine> {
  const root = await mkdtemp(join(tmpdir(), "bellhop-machine-"));
  roots.push(root);
  const [path, home] = [join(root, "bin"), join(root, "home")];
  await mkdir(path);
  await mkdir(home);
  // The script waits between two attempts; tests do not.
  const programs: Record<string, string> = { sleep: "exit 0", ...options.programs };
  for (const name of PROGRAMS) {
    const real = Bun.which(name);
    if (real !== null && programs[name] === undefined && options.without?.includes(name) !== true) {
      await symlink(real, join(path, name));
    }
  }
  for (const [name, text] of Object.entries(programs)) {
    await writeFile(join(path, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  }
  return { directory: join(home, "tools/bin"), home, path };
}

/** Runs the script from standard input, like `curl … | sh -s -- …`. */
export async function runInstaller(
  command: readonly string[],
  script: string,
  { home, path, directory }: Machine,
  options: { args?: string[]; env?: Record<string, string> } = {},
) {
  const child = Bun.spawn([...command, "-s", "--", ...(options.args ?? ["--dir", directory])], {
    env: { PATH: path, HOME: home, ...options.env },
    cwd: home,
    stdin: new Blob([script]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

export async function scriptOf(origin: string): Promise<string> {
  const response = await fetch(`${origin}/install.sh`);
  expect(response.status).toBe(200);
  return response.text();
}

export async function expectNothingInstalled({ home }: Machine): Promise<void> {
  expect(await readdir(home)).toEqual([]);
}

export async function expectInstalled(
  { directory }: Machine,
  version: string,
  target: "linux-x64" | "linux-x64-musl" = "linux-x64",
) {
  expect(await readdir(directory)).toEqual(["bellhop-agent"]);
  expect(await readFile(join(directory, "bellhop-agent"), "utf8")).toBe(standIn(version, target));
  expect((await stat(join(directory, "bellhop-agent"))).mode & 0o777).toBe(0o755);
}
