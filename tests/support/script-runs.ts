import { chmod, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { output, own, removeDirectory, serverDirectory, unprivileged } from "./database-process.ts";

export interface ScriptRun {
  readonly stdout: string;
  /** Whether the script made the file `canary`, which only a value names. */
  readonly madeCanary: boolean;
}

/** The only programs that scripts can find: none of them acts on processes, users, mounts or the network. */
const PROGRAMS = ["bash", "cat", "dash", "env", "find", "printf", "sh", "touch", "tr", "true", "xargs"];
/** Programs that pass their arguments to a shell, as ssh does on a host, and su for another user. */
const STUBS = {
  ssh: 'shift\nexec sh -c "$*"\n',
  su: 'while [ "$1" != -c ]; do shift; done\nexec sh -c "$2"\n',
  sudo: 'exec "$@"\n',
};
const RUN_EACH = `
cd "$1/work" || exit 1
for job in "$1"/jobs/*; do
  /usr/bin/timeout 10 "$2" "$job" </dev/null >"$1/out/\${job##*/}" 2>/dev/null
  [ ! -e canary ] || : >"$1/ran/\${job##*/}"
  /bin/rm -rf ./*
done
`;

/** Runs scripts in sequence with a program, as an unprivileged user, in an empty directory. */
export async function runScripts(
  program: string,
  scripts: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<ScriptRun[]> {
  const path = installed(program);
  const directory = await serverDirectory("scripts");
  try {
    await chmod(directory, 0o755);
    for (const name of ["bin", "jobs", "out", "ran", "work"]) await mkdir(join(directory, name));
    for (const name of ["out", "ran", "work"]) await own(join(directory, name));
    for (const name of PROGRAMS) await symlink(installed(name), join(directory, "bin", name));
    for (const [name, text] of Object.entries(STUBS)) {
      await writeFile(join(directory, "bin", name), `#!/bin/sh\n${text}`, { mode: 0o755 });
    }
    await Promise.all(scripts.map((text, index) => writeFile(join(directory, "jobs", String(index)), text)));
    const environment = Object.entries({ ...variables, PATH: join(directory, "bin"), LC_ALL: "C.UTF-8" });
    const given = environment.map(([name, value]) => `${name}=${value}`);
    await output(unprivileged(["/usr/bin/env", "-i", ...given, "/bin/sh", "-c", RUN_EACH, "sh", directory, path]));
    const ran = new Set(await readdir(join(directory, "ran")));
    return await Promise.all(
      scripts.map(async (_, index) => ({
        stdout: await readFile(join(directory, "out", String(index)), "utf8"),
        madeCanary: ran.has(String(index)),
      })),
    );
  } finally {
    await removeDirectory(directory);
  }
}

/** A path that every user can run: programs in one user's directory, such as a Python from pyenv, are not. */
function installed(program: string): string {
  const path = Bun.which(program, { PATH: "/usr/local/bin:/usr/bin:/bin" });
  if (path === null) throw new Error(`${program} is not installed`);
  return path;
}
