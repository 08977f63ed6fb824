import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../paths.ts";

/** How the agent's modules become one bundle: for the executable, and for the list of what is in it. */
export function agentBundle(options: { version: string; publicKey: string }) {
  return {
    entrypoints: [join(ROOT, "agent/main.ts")],
    target: "bun",
    // Each executor is a file of its own inside the executable, read when it is first used: a new one costs the others
    // neither time at the start nor memory.
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

/** The version of package.json, which is the agent's. */
export async function agentVersion(): Promise<string> {
  const parsed: unknown = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  if (typeof parsed === "object" && parsed !== null && "version" in parsed && typeof parsed.version === "string") {
    return parsed.version;
  }
  throw new Error("package.json has no version");
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
