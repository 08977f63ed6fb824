import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./paths.ts";

/** The executables that are built, and what Bun calls their targets. */
const TARGETS = {
  "linux-x64": "bun-linux-x64",
  "linux-arm64": "bun-linux-arm64",
  "linux-x64-musl": "bun-linux-x64-musl",
  "windows-x64": "bun-windows-x64",
} as const satisfies Record<string, Bun.Build.CompileTarget>;
export type AgentTarget = keyof typeof TARGETS;

const SOURCES = ["agent", "schema", "scripts/build-agent.ts", "package.json", "package-lock.json"];

/**
 * Builds `<outdir>/bellhop-agent-<target>[.exe]` and gives its path. Costs nothing when the sources are those of the
 * last build. Another target than the host's fetches its runtime from npm.
 */
export async function buildAgent({
  target = hostTarget(),
  outdir = join(ROOT, "dist"),
}: { target?: AgentTarget; outdir?: string } = {}): Promise<string> {
  const path = join(outdir, `bellhop-agent-${target}${target.startsWith("windows") ? ".exe" : ""}`);
  const stampPath = `${path}.sources`;
  const stamp = await sourcesStamp(target);
  if ((await textOf(stampPath)) === stamp && (await exists(path))) return path;

  await mkdir(outdir, { recursive: true });
  const { version } = await packageJson();
  // Built aside and renamed: two builds at once, or one that is interrupted, leave no half executable.
  const aside = join(outdir, `.build-${process.pid}-${crypto.randomUUID()}`);
  try {
    const result = await Bun.build({
      entrypoints: [join(ROOT, "agent/main.ts")],
      target: "bun",
      // Each executor is a file of its own inside the executable, read when it is first used: a new one costs the others
      // neither time at the start nor memory.
      format: "esm",
      splitting: true,
      minify: true,
      bytecode: true,
      define: { BELLHOP_AGENT_VERSION: JSON.stringify(version), "process.env.NODE_ENV": '"production"' },
      compile: {
        // Named only where it is another one: the host's runtime is the Bun that runs this.
        ...(target === hostTarget() ? {} : { target: TARGETS[target] }),
        outfile: join(aside, "bellhop-agent"),
        // A compiled executable would otherwise load these from wherever it is started.
        autoloadDotenv: false,
        autoloadBunfig: false,
      },
      plugins: [withoutNativeAddOns, withoutAzureSignIn],
      throw: true,
    });
    const [executable] = result.outputs;
    if (executable === undefined) throw new Error(`building the agent for ${target} gave nothing`);
    await rename(executable.path, path);
    await writeFile(stampPath, stamp);
    return path;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/**
 * ssh2 tries two native add-ons and does without them. They must neither be bundled, since no target but one could load
 * them, nor be left for the executable to look up in whatever directory it is started in.
 */
const withoutNativeAddOns: Bun.BunPlugin = {
  name: "without-native-add-ons",
  setup(build) {
    build.onResolve({ filter: /^cpu-features$|\.node$/u }, ({ path }) => ({ path, namespace: "left-out" }));
    build.onLoad({ filter: /.*/u, namespace: "left-out" }, () => ({
      contents: 'throw new Error("native add-ons are left out of this build");',
      loader: "js",
    }));
  },
};

/**
 * tedious brings along what signs in to Azure and reads keys from its vaults. The agent logs in to SQL Server by name and
 * password only and never asks for these modules' parts, so they are empty here.
 */
const withoutAzureSignIn: Bun.BunPlugin = {
  name: "without-azure-sign-in",
  setup(build) {
    build.onResolve({ filter: /^@azure\/(identity|keyvault-keys|core-auth)$/u }, ({ path }) => ({
      path,
      namespace: "empty-module",
    }));
    build.onLoad({ filter: /.*/u, namespace: "empty-module" }, () => ({
      contents: "module.exports = {};",
      loader: "js",
    }));
  },
};

/** The target of the machine that this runs on. */
export function hostTarget(): AgentTarget {
  if (process.platform === "win32") return "windows-x64";
  if (process.arch === "arm64") return "linux-arm64";
  return "linux-x64";
}

async function sourcesStamp(target: AgentTarget): Promise<string> {
  const hash = createHash("sha256").update(`${target} bun ${Bun.version}`);
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

async function packageJson(): Promise<{ version: string }> {
  const parsed: unknown = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  if (typeof parsed === "object" && parsed !== null && "version" in parsed && typeof parsed.version === "string") {
    return { version: parsed.version };
  }
  throw new Error("package.json has no version");
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

if (import.meta.main) {
  const { values } = parseArgs({ options: { target: { type: "string" } } });
  const target = Object.keys(TARGETS).find((name): name is AgentTarget => name === values.target);
  if (values.target !== undefined && target === undefined) {
    console.error(`unknown target ${values.target}: use one of ${Object.keys(TARGETS).join(", ")}`);
    process.exit(64);
  }
  console.log(await buildAgent(target === undefined ? {} : { target }));
}
