import { join } from "node:path";
import { ROOT } from "./paths.ts";
import { environmentWithoutKey } from "./release/signing-key.ts";
import { Refused } from "./service/refused.ts";

/** wrangler needs a newer Node than the rest of this project. */
const NODE_MAJOR = 22;

/** The command and its first arguments. Throws Refused when the Node on PATH is too old. */
export function wranglerCommand(): string[] {
  const node = Bun.which("node");
  const version = node === null ? "none" : Bun.spawnSync([node, "--version"]).stdout.toString().trim();
  if (Number(/^v(\d+)\./u.exec(version)?.[1] ?? 0) < NODE_MAJOR) {
    throw new Refused(
      `wrangler needs Node ${NODE_MAJOR} or newer on PATH, but found ${version}. Install a newer Node.`,
    );
  }
  return ["node", join(ROOT, "node_modules/wrangler/bin/wrangler.js")];
}

/** Runs wrangler to its end, without this project's secrets in its environment. `said` is all of its output. */
export async function runWrangler(wrangler: readonly string[], args: readonly string[]) {
  const child = Bun.spawn([...wrangler, ...args], {
    cwd: ROOT,
    env: wranglerEnvironment(),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, said: `${stdout}\n${stderr}`.trim() };
}

export function wranglerEnvironment(): Record<string, string | undefined> {
  return { ...environmentWithoutKey(), DATABASE_AUTH_TOKEN: undefined, WRANGLER_SEND_METRICS: "false" };
}
