import { access, constants, realpath, rm, statfs } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { ReleaseManifest } from "../../schema/contract/release.ts";
import { releaseVersionSchema } from "../../schema/contract/release.ts";
import { adoptEnvironment, commandEnvironment } from "../commands/environment.ts";
import { asksForHelp, parseOptions } from "../commands/options.ts";
import { orRefused } from "../commands/refused-command.ts";
import type { Environment } from "../config.ts";
import { agentReader } from "../../schema/settings/agent.ts";
import { CommandRefused } from "../credentials/refused.ts";
import { askTerminal } from "../credentials/terminal.ts";
import { EXIT } from "../exit-codes.ts";
import { RELEASE_PUBLIC_KEY } from "../release-key.ts";
import { AGENT_VERSION } from "../version.ts";
import { downloadExecutable } from "./download.ts";
import { withoutInterruption } from "./finish.ts";
import { lockUpdates } from "./lock.ts";
import { executableFor, fetchManifest } from "./release-client.ts";
import { restartOrRestore } from "./restart.ts";
import { findRunningService } from "./running-service.ts";
import type { ExecutablePaths } from "./swap.ts";
import { exchange, executablePaths, putInPlace, restorePrevious } from "./swap.ts";
import { ownTarget } from "./target.ts";
import { versionOf } from "./try-executable.ts";
import { compareVersions } from "./versions.ts";

const HELP = `Usage: bellhop-agent update [--check] [--version <version>] [--yes] [--env-file <path>]
       bellhop-agent update --rollback
Replaces this executable with the release that the deployment (AGENT_API_URL) offers, if its signature is valid and its
checksum is the signed one, and restarts the service that runs it. A version that does not register within a minute is
undone. The former executable stays next to it, with .previous after its name.

  --check              says whether there is a newer version, and changes nothing
  --version <version>  installs this version, also an older one
  --yes                asks no question
  --rollback           brings the former executable back; repeated, undoes that
  --env-file <path>    the agent's configuration, as for run; without one and without AGENT_API_URL, that of the
                       installed service
AGENT_RELEASE_KEY is the public key of releases (base64), for an executable that was built without one.
`;

type Say = (line: string) => void;

/** `bellhop-agent update`; returns the exit code. */
export function updateCommand(args: readonly string[]): Promise<number> {
  return orRefused(async () => {
    if (asksForHelp(args)) {
      process.stdout.write(HELP);
      return EXIT.ok;
    }
    const options = parseOptions("update", args, {
      check: "flag",
      version: "value",
      yes: "flag",
      rollback: "flag",
      "env-file": "value",
    });
    const say: Say = (line) => {
      process.stdout.write(`${line}\n`);
    };
    if (options.has("rollback")) {
      await rollBack(await ownPaths(), say);
      return EXIT.ok;
    }
    const environment = commandEnvironment(options.value("env-file"), { orInstalled: true });
    const code = await adoptEnvironment(environment, ["update", ...args]);
    if (code !== null) return code;
    const asked = options.value("version");
    const { apiUrl, publicKey } = sources(environment.env, asked);
    const manifest = await fetchManifest(apiUrl, asked ?? "latest", publicKey);
    if (!isWanted(manifest, asked, say)) {
      await sayWhatRuns(say);
      return EXIT.ok;
    }
    if (options.has("check")) {
      say(
        `version ${manifest.version} of ${manifest.createdAt.slice(0, 10)} is available; this is ${AGENT_VERSION}: bellhop-agent update installs it`,
      );
      return EXIT.ok;
    }
    if (!options.has("yes")) await confirm(manifest.version);
    await install(apiUrl, manifest, await ownPaths(), say);
    return EXIT.ok;
  });
}

function sources(env: Environment, asked: string | null): { apiUrl: string; publicKey: string } {
  if (asked !== null && !releaseVersionSchema.safeParse(asked).success) {
    throw new CommandRefused(EXIT.usage, "--version takes a version such as 1.4.0");
  }
  const problems: string[] = [];
  const { need, read, text } = agentReader(env, problems);
  const apiUrl = need("AGENT_API_URL");
  if (apiUrl === null) {
    const orFile = text("AGENT_API_URL") === null ? ", or name the agent's configuration with --env-file" : "";
    throw new CommandRefused(EXIT.config, `${problems.join("; ")}${orFile}`);
  }
  const publicKey = RELEASE_PUBLIC_KEY || read("AGENT_RELEASE_KEY");
  if (publicKey !== null) return { apiUrl, publicKey };
  if (problems.length > 0) throw new CommandRefused(EXIT.config, problems.join("; "));
  throw new CommandRefused(
    EXIT.config,
    "this executable was built without the key that releases are signed with, so it cannot check a release: set AGENT_RELEASE_KEY to that public key (base64), or install by the install script",
  );
}

function isWanted({ version }: ReleaseManifest, asked: string | null, say: Say): boolean {
  const order = compareVersions(version, AGENT_VERSION);
  if (order === 0) {
    say(`version ${AGENT_VERSION} is ${asked === null ? "the newest" : "installed already"}`);
    return false;
  }
  if (order > 0 || asked !== null) return true;
  // Otherwise an attacker in the deployment's place could bring back an old vulnerability under its valid signature.
  say(
    `the deployment offers ${version}, which is older than this ${AGENT_VERSION}: --version ${version} would install it`,
  );
  return false;
}

/** The executable may have been replaced without a restart: by the install script, or by an update that was killed. */
async function sayWhatRuns(say: Say): Promise<void> {
  const service = await realpath(process.execPath)
    .then(findRunningService)
    .catch(() => null);
  const running = service?.registered()?.version ?? AGENT_VERSION;
  if (service === null || running === AGENT_VERSION) return;
  say(`${service.name} still runs version ${running}: restart it (bellhop-agent service install does)`);
}

async function confirm(version: string): Promise<void> {
  if (!process.stdin.isTTY)
    throw new CommandRefused(
      EXIT.usage,
      `standard input is no terminal, so no one can confirm the update: --yes installs ${version}`,
    );
  const answer = await askTerminal(`Replace ${AGENT_VERSION} by ${version}? [y/N] `, { echo: true });
  if (!/^y(es)?$/iu.test(answer.trim())) throw new CommandRefused(EXIT.failed, "nothing was changed");
}

async function install(apiUrl: string, manifest: ReleaseManifest, paths: ExecutablePaths, say: Say): Promise<void> {
  const target = ownTarget();
  if (target === null)
    throw new CommandRefused(
      EXIT.unavailable,
      `there are no releases for ${process.platform} ${process.arch}: build the agent from its sources`,
    );
  const executable = executableFor(manifest, target);
  const lock = lockUpdates(paths);
  try {
    const service = await findRunningService(paths.current);
    await checkRoom(paths, executable.bytes);
    await downloadExecutable(apiUrl, manifest, executable, paths.fresh);
    try {
      const version = await versionOf(paths.fresh);
      if (version !== manifest.version) {
        throw new CommandRefused(
          EXIT.failed,
          `the executable of release ${manifest.version} calls itself ${version}: nothing was changed`,
        );
      }
      await withoutInterruption(say, async () => {
        await putInPlace(paths);
        say(`version ${manifest.version} is in place; ${paths.previous} keeps ${AGENT_VERSION}`);
        if (service === null) {
          say("no service runs this executable: restart the agent; update --rollback undoes the update");
          return;
        }
        await restartOrRestore({ service, version: manifest.version, restore: () => restorePrevious(paths) });
        say(`${service.name} runs it, and is registered`);
      });
    } finally {
      await rm(paths.fresh, { force: true });
    }
  } finally {
    lock.release();
  }
}

async function rollBack(paths: ExecutablePaths, say: Say): Promise<void> {
  const lock = lockUpdates(paths);
  try {
    const isThere = await access(paths.previous).then(
      () => true,
      () => false,
    );
    if (!isThere)
      throw new CommandRefused(
        EXIT.unavailable,
        `there is no former executable ${paths.previous}, so nothing was changed`,
      );
    // An executable that does not run must not replace one that does.
    const version = await versionOf(paths.previous);
    const service = await findRunningService(paths.current);
    await withoutInterruption(say, async () => {
      await exchange(paths);
      say(`version ${version} is back in place; ${paths.previous} keeps ${AGENT_VERSION}`);
      if (service === null) return say("no service runs this executable: restart the agent");
      await restartOrRestore({ service, version, restore: () => exchange(paths) });
      say(`${service.name} runs it, and is registered`);
    });
  } finally {
    lock.release();
  }
}

async function ownPaths(): Promise<ExecutablePaths> {
  const current = await realpath(process.execPath);
  if (/^bun(\.exe)?$/u.test(basename(current))) {
    throw new CommandRefused(EXIT.usage, "this agent runs from its sources: update the sources");
  }
  await access(dirname(current), constants.W_OK).catch((error: unknown) => {
    throw new CommandRefused(
      EXIT.notAllowed,
      `this user may not write to ${dirname(current)}: run the update with sudo`,
      { cause: error },
    );
  });
  return executablePaths(current);
}

async function checkRoom({ current }: ExecutablePaths, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(current));
  if (bavail * bsize > bytes * 1.1) return;
  throw new CommandRefused(
    EXIT.cannotCreate,
    `${dirname(current)} has too little room for the new executable (${Math.ceil(bytes / 1_000_000)} MB): free some space`,
  );
}
