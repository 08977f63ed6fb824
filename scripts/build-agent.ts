import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { RELEASE_TARGETS, executableFile, releaseTargetSchema } from "../schema/contract/release.ts";
import type { ReleaseTarget } from "../schema/contract/release.ts";
import { ROOT } from "./paths.ts";
import { agentBundle, agentVersion } from "./release/agent-bundle.ts";
import { buildRelease } from "./release/build-release.ts";
import { readSigningKey } from "./release/signing-key.ts";

/** Bun's names of the targets. */
const COMPILE_TARGETS = {
  "linux-x64": "bun-linux-x64",
  "linux-arm64": "bun-linux-arm64",
  "linux-x64-musl": "bun-linux-x64-musl",
  "windows-x64": "bun-windows-x64",
} as const satisfies Record<ReleaseTarget, Bun.Build.CompileTarget>;

const SOURCES = [
  "agent",
  "schema",
  "scripts/build-agent.ts",
  "scripts/release/agent-bundle.ts",
  "package.json",
  "package-lock.json",
];

/**
 * Builds `<outdir>/bellhop-agent-<target>[.exe]` and returns its path. Does nothing when the sources have not changed
 * since the last build. A target other than the host's fetches its runtime from npm. The public half of
 * BELLHOP_RELEASE_KEY, if set, is compiled in: updates must be signed with it.
 */
export async function buildAgent({
  target = hostTarget(),
  outdir = join(ROOT, "dist"),
}: { target?: ReleaseTarget; outdir?: string } = {}): Promise<string> {
  const publicKey = readSigningKey(process.env)?.publicKey ?? "";
  const path = join(outdir, executableFile(target));
  const stampPath = `${path}.sources`;
  const stamp = await sourcesStamp(`${target} ${publicKey}`);
  if ((await textOf(stampPath)) === stamp && (await exists(path))) return path;

  await mkdir(outdir, { recursive: true });
  // Built under another name, then renamed: neither concurrent builds nor an interrupted one leave half an executable.
  const aside = join(outdir, `.build-${process.pid}-${crypto.randomUUID()}`);
  try {
    const result = await Bun.build({
      ...agentBundle({ version: await agentVersion(), publicKey }),
      bytecode: true,
      compile: {
        // Named only for another target: the host's runtime is the Bun that runs this script.
        ...(target === hostTarget() ? {} : { target: COMPILE_TARGETS[target] }),
        outfile: join(aside, "bellhop-agent"),
        // A compiled executable would otherwise load these files from its working directory.
        autoloadDotenv: false,
        autoloadBunfig: false,
      },
    });
    const [executable] = result.outputs;
    if (executable === undefined) throw new Error(`building the agent for ${target} produced no file`);
    await rename(executable.path, path);
    await writeFile(stampPath, stamp);
    return path;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** The target of this machine. */
export function hostTarget(): ReleaseTarget {
  if (process.platform === "win32") return "windows-x64";
  if (process.arch === "arm64") return "linux-arm64";
  return "linux-x64";
}

async function sourcesStamp(what: string): Promise<string> {
  const hash = createHash("sha256").update(`${what} bun ${Bun.version}`);
  for (const source of SOURCES) {
    for (const file of await filesUnder(join(ROOT, source))) {
      hash.update(`\0${file}\0`).update(await readFile(file));
    }
  }
  return hash.digest("hex");
}

async function filesUnder(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function textOf(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(() => null);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * `npm run build:agent`: the host's executable; `-- --target X` one target, `-- --all` a whole release. Exit code 64:
 * bad arguments.
 */
async function main(): Promise<void> {
  const values = parse();
  if (values === null || (values.all === true && values.target !== undefined)) return usage();
  if (values.all === true) return buildRelease(buildAgent);
  const target = releaseTargetSchema.optional().safeParse(values.target);
  if (!target.success) return usage();
  console.log(await buildAgent(target.data === undefined ? {} : { target: target.data }));
}

function parse() {
  try {
    return parseArgs({ options: { target: { type: "string" }, all: { type: "boolean" } } }).values;
  } catch {
    return null;
  }
}

function usage(): never {
  console.error(`usage: npm run build:agent -- [--target ${RELEASE_TARGETS.join(" | ")}]
       npm run build:agent -- --all`);
  process.exit(64);
}

if (import.meta.main) {
  await main().catch((error: unknown) => {
    console.error(`bellhop: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  });
}
