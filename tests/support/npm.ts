import { ROOT } from "../../scripts/paths.ts";

/** npm as a person starts it: without the settings that the npm of `npm test` gives to its children. */
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
