import { ROOT } from "../../scripts/paths.ts";

/** npm as a person starts it: without the settings that `npm test` gives to its children. */
export function spawnNpm(
  args: readonly string[],
  { cwd = ROOT, env = {} }: { cwd?: string; env?: NodeJS.Dict<string> } = {},
) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("npm_"));
  return Bun.spawn(["npm", ...args], {
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}
/** Runs npm to its end. */
export async function runNpm(...given: Parameters<typeof spawnNpm>) {
  const child = spawnNpm(...given);
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, code };
}
