import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = process.getuid?.() === 0;
/** The numbers of Debian's unprivileged account and group: neither server runs as root. */
const ACCOUNT_ID = 65_534;

/** A directory for one server's data and keys, readable for its account. */
export async function serverDirectory(name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), `bellhop-${name}-`));
  await own(directory);
  return directory;
}

/** Gives a file to the account of the servers; only that account may read it. */
export async function own(path: string): Promise<void> {
  if (!ROOT) return;
  await chown(path, ACCOUNT_ID, ACCOUNT_ID);
  await chmod(path, 0o700);
}

/** The command, wrapped to run as an unprivileged account. */
export function unprivileged(command: readonly string[]): string[] {
  const account = [`--reuid=${ACCOUNT_ID}`, `--regid=${ACCOUNT_ID}`, "--clear-groups"];
  return ROOT ? ["setpriv", ...account, ...command] : [...command];
}

/** Runs a program to its end and returns its standard output; throws with its error output. */
export async function output(
  command: readonly string[],
  options: { env?: Record<string, string>; input?: string } = {},
): Promise<string> {
  const child = Bun.spawn([...command], {
    stdin: Buffer.from(options.input ?? ""),
    stdout: "pipe",
    stderr: "pipe",
    cwd: tmpdir(),
    env: { ...process.env, ...options.env },
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command.join(" ").slice(0, 200)} ended with ${code}: ${stderr || stdout}`);
  return stdout.trim();
}

export async function removeDirectory(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
}
