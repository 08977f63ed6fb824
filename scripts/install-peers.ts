import { existsSync } from "node:fs";
import { join } from "node:path";
import { Glob } from "bun";
import { ROOT } from "./paths.ts";

interface Peer {
  file: string;
  /** The Debian package's name. */
  name: string;
  /** True for a large peer that only `npm run test:full` uses. */
  full: boolean;
}

/** Installs missing peers, where this process is root on Debian. Elsewhere a test without its peer names the peer. */
export async function installPeers({ full = false }: { full?: boolean } = {}): Promise<void> {
  const missing = (await declaredPeers()).filter((peer) => (full || !peer.full) && !existsSync(peer.file));
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map(({ name }) => name))];
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    console.error(`Not root on Debian: tests that need ${packages.join(", ")} are skipped.`);
    return;
  }
  console.error(`Installing ${packages.join(", ")} …`);
  await apt(["update"]);
  if (await apt(["install", "-y", "--no-install-recommends", ...packages])) return;
  // A package that this machine cannot install must not prevent the others.
  for (const name of packages) {
    if (await apt(["install", "-y", "--no-install-recommends", name])) continue;
    console.error(`${name} could not be installed: tests that need it are skipped.`);
  }
}

/** The peers that tests declare with `debianPeer` of `tests/support/debian-peer.ts`. */
export async function declaredPeers(): Promise<Peer[]> {
  const files = [...new Glob("tests/**/*.ts").scanSync(ROOT)];
  const sources = await Promise.all(files.map((file) => Bun.file(join(ROOT, file)).text()));
  return sources.flatMap((source, at) => peersIn(source, files[at] ?? ""));
}

/**
 * A call's file is a string, or a constant of the same source. Throws for any other call: its peer would be skipped for
 * ever.
 */
export function peersIn(source: string, path: string): Peer[] {
  return [...source.matchAll(/(?<!function )\bdebianPeer\(([^)]*)\)/gu)].map(([call, given = ""]) => {
    const [, word = "", name, full] = /^\s*("[^"]+"|\w+),\s*"([^"]+)"(, \{ full: true \})?,?\s*$/u.exec(given) ?? [];
    const file = word.startsWith('"')
      ? word.slice(1, -1)
      : new RegExp(`^const ${word} = "([^"]+)";$`, "mu").exec(source)?.[1];
    if (file === undefined || name === undefined) {
      throw new Error(`${path}: ${call} must name its file and its package as strings.`);
    }
    return { file, name, full: full !== undefined };
  });
}

async function apt(args: string[]): Promise<boolean> {
  const child = Bun.spawn(["/usr/bin/apt-get", "-qq", ...args], {
    // A package must not start its service: tests start their own peers.
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "inherit",
  });
  return (await child.exited) === 0;
}
