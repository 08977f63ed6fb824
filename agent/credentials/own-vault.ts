import { statSync } from "node:fs";
import { forgetAdminUrl } from "../admin/address.ts";
import type { LocalConfig } from "../config.ts";
import { EXIT, StartRefused } from "../exit-codes.ts";
import { JOB_SLOTS, slotSocket } from "../isolation/job-slots.ts";
import { acquireLock } from "../journal/process-lock.ts";
import { createLog, describeError } from "../log.ts";
import type { Log } from "../log.ts";
import { makeStateDirectories } from "../paths.ts";
import type { StatePaths } from "../paths.ts";
import { loadExecutor } from "../executors/index.ts";
import { chooseJobPrograms } from "../isolation/choose-programs.ts";
import { fingerprintOf } from "../vault/crypto.ts";
import { JOB_SOCKET_DIRECTORY } from "../system-service/linux/unit-file.ts";
import { targetResolver, TargetUnresolved } from "../vault/resolve-target.ts";
import type { ResolveTarget } from "../vault/resolve-target.ts";
import { Vault } from "../vault/index.ts";
import { CommandRefused } from "./refused.ts";
import type { VaultAccess } from "./vault-access.ts";

/**
 * The vault without a running agent. Holds the agent's lock until it is closed. A vault that does not open with this
 * key is not changed: only the agent may move it aside, after the service has accepted its key. Throws StartRefused and
 * CommandRefused.
 */
export async function openOwnVault(
  paths: StatePaths,
  { apiKey, ...config }: Pick<LocalConfig, "slackApiUrl" | "jobSocket" | "jobUser"> & { apiKey: string },
): Promise<VaultAccess> {
  const log = createLog({
    level: "WARNING",
    mask: (text) => text,
    write: (line) => process.stderr.write(line),
    now: Date.now,
    human: true,
  });
  await makeStateDirectories(paths, log, { by: "command" });
  const lock = acquireLock(paths.lock, paths.journal);
  // An address of an agent that died: while this process holds the lock, another command would take the address for
  // that of a running agent.
  forgetAdminUrl(paths.adminUrl);
  try {
    const vault = await opened({ paths, apiKey, log, resolveTarget: resolvingAsAgent(paths, config) });
    const change = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        if (error instanceof StartRefused) throw error;
        if (error instanceof TargetUnresolved) throw new CommandRefused(EXIT.failed, error.message, { cause: error });
        throw cannot("write", paths, error);
      }
    };
    return {
      by: "vault",
      place: paths.vault,
      list: async () => ({
        fingerprint: fingerprintOf(vault.publicKey),
        credentials: vault.list(),
        lost: vault.lost,
      }),
      put: (connectionId, content) =>
        change(async () => {
          const namesBefore = vault.list().find((known) => known.connectionId === connectionId)?.names;
          return { ...(await vault.put(connectionId, content)), isNew: namesBefore === undefined, namesBefore };
        }),
      resolve: (connectionId, target) => change(() => vault.resolve(connectionId, target)),
      bind: (connectionId, target, resolved) => change(() => vault.bind(connectionId, target, resolved)),
      remove: (connectionId) => change(() => vault.remove(connectionId)),
      close: () => lock.release(),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Files that a target names are read as the account of this agent's jobs, as the agent does it. */
function resolvingAsAgent(
  { executorState }: StatePaths,
  config: Pick<LocalConfig, "slackApiUrl" | "jobSocket" | "jobUser">,
): ResolveTarget {
  return async (...asked) => {
    const jobSocket = config.jobSocket ?? (config.jobUser === null ? socketOfService() : null);
    const { programs, stop } = await chooseJobPrograms({ ...config, jobSocket, stateDirectory: executorState });
    try {
      return await targetResolver({ load: loadExecutor }, config, programs)(...asked);
    } finally {
      await stop();
    }
  };
}

/** Only the service's unit names the socket, no file that commands read. Only the agent's account can open it. */
function socketOfService(): string | null {
  const socket = statSync(slotSocket(JOB_SOCKET_DIRECTORY, JOB_SLOTS[0] ?? ""), { throwIfNoEntry: false });
  return socket !== undefined && socket.uid === process.getuid?.() ? JOB_SOCKET_DIRECTORY : null;
}

async function opened({ paths, apiKey, log, resolveTarget }: ToOpen): Promise<Vault> {
  const otherKey = Promise.reject(
    new CommandRefused(
      EXIT.badInput,
      `the vault ${paths.vault} does not open with this AGENT_API_KEY, and was not changed. If the key was regenerated, ` +
        "start the agent first: it moves the old vault aside",
    ),
  );
  // The vault awaits this promise only when the key differs.
  otherKey.catch(() => undefined);
  try {
    const vault = new Vault({
      path: paths.vault,
      apiKey,
      log,
      now: Date.now,
      keyAccepted: otherKey,
      onChange: () => undefined,
      onNewKeyPair: () => undefined,
      resolveTarget,
    });
    await vault.ready;
    return vault;
  } catch (error) {
    throw error instanceof CommandRefused ? error : cannot("open", paths, error);
  }
}

interface ToOpen {
  paths: StatePaths;
  apiKey: string;
  log: Log;
  resolveTarget: ResolveTarget;
}

function cannot(what: string, paths: StatePaths, error: unknown): CommandRefused {
  return new CommandRefused(
    EXIT.cannotCreate,
    `cannot ${what} the vault ${paths.vault}: ${describeError(error)}. Run bellhop-agent doctor`,
    { cause: error },
  );
}
