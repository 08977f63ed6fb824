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

/**
 * Installs missing peers, where this process is root on Debian and `BELLHOP_PEERS` is not `no`. Names the packages first.
 * Returns the packages that are missing afterwards: tests without their peer are skipped and name it.
 */
export async function installPeers(
  { full = false, declared }: { full?: boolean; declared?: readonly Peer[] } = {},
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string[]> {
  const peers = (declared ?? (await declaredPeers())).filter((peer) => full || !peer.full);
  const missing = () => [...new Set(peers.filter(({ file }) => !existsSync(file)).map(({ name }) => name))];
  const packages = missing();
  if (packages.length === 0) return [];
  const command = `apt-get install -y --no-install-recommends ${packages.join(" ")}`;
  if (env["BELLHOP_PEERS"] === "no" || process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    console.error(
      `Tests that need these Debian packages are skipped: ${packages.join(", ")}.\nTo install them: ${command}`,
    );
    return packages;
  }
  console.error(`Installing Debian packages for the tests: ${packages.join(", ")} …\nBELLHOP_PEERS=no prevents this.`);
  await apt(["update"]);
  if (await apt(["install", "-y", "--no-install-recommends", ...packages])) return missing();
  // A package that this machine cannot install must not prevent the others.
  for (const name of packages) {
    if (await apt(["install", "-y", "--no-install-recommends", name])) continue;
    console.error(`${name} could not be installed: tests that need it are skipped.`);
  }
  return missing();
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
