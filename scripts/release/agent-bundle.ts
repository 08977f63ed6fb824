import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../paths.ts";

/** Bundles the agent's modules: for the executable, and for the list of its contents. */
export function agentBundle(options: { version: string; publicKey: string }) {
  return {
    entrypoints: [join(ROOT, "agent/main.ts")],
    target: "bun",
    // Each executor is a separate file inside the executable, read at its first use: a new executor costs the others
    // neither start time nor memory.
    format: "esm",
    splitting: true,
    minify: true,
    define: {
      BELLHOP_AGENT_VERSION: JSON.stringify(options.version),
      BELLHOP_RELEASE_PUBLIC_KEY: JSON.stringify(options.publicKey),
      "process.env.NODE_ENV": '"production"',
    },
    plugins: [withoutNativeAddOns, withoutAzureSignIn],
    throw: true,
  } as const satisfies Bun.BuildConfig;
}

/** The agent's version, from package.json. */
export async function agentVersion(): Promise<string> {
  const parsed: unknown = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  if (typeof parsed === "object" && parsed !== null && "version" in parsed && typeof parsed.version === "string") {
    return parsed.version;
  }
  throw new Error("package.json has no version");
}

/**
 * ssh2 tries two native add-ons and works without them. They must not be bundled, since only one target could load
 * them. They must not stay as imports either: the executable would look them up in its working directory.
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
 * tedious depends on modules that sign in to Azure and read keys from its vaults. The agent logs in to SQL Server by
 * name and password only and never uses them, so they are empty here.
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
