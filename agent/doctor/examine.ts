import { statSync } from "node:fs";
import { dirname } from "node:path";
import { agentReader } from "../../schema/settings/agent.ts";
import { serviceEnvFile, hostFacts } from "../commands/environment.ts";
import type { CommandEnvironment } from "../commands/environment.ts";
import type { Environment } from "../config.ts";
import { findAccount } from "../isolation/job-account.ts";
import { statePaths } from "../paths.ts";
import type { StatePaths } from "../paths.ts";
import { checkAgentProcess } from "./agent-process.ts";
import type { Check } from "./check.ts";
import { checksNamed } from "./check.ts";
import { checkConfiguration } from "./configuration.ts";
import type { Usable } from "./configuration.ts";
import { checkFiles } from "./files.ts";
import { checkHost, checkSystem } from "./host.ts";
import { checkJobSocket, readInstalledUnits } from "./installed-units.ts";
import type { InstalledUnits } from "./installed-units.ts";
import { checkIsolation } from "./isolation.ts";
import { checkJournal } from "./journal.ts";
import { checkRoute } from "./route.ts";
import { checkService } from "./service.ts";
import { checkVault } from "./vault.ts";

/** All checks in the order of the report. `problem` holds the problems of the environment file. */
export async function examine(
  environment: CommandEnvironment,
  { problem, fileIsRefused }: { problem: readonly Check[]; fileIsRefused: boolean },
): Promise<Check[]> {
  const { checks: configuration, usable } = checkConfiguration(environment, hostFacts(), { fileIsRefused });
  const units = environment.file === serviceEnvFile() ? await readInstalledUnits() : null;
  const [service, state, host] = await Promise.all([
    examineService(usable, environment.env),
    examineState(usable, environment, units),
    checkHost({ ofService: environment.file === serviceEnvFile() }),
  ]);
  return [checkSystem(), ...problem, ...configuration, ...service, ...state, ...host];
}

/** The checks that any user can make, when the service's configuration is closed to this one. */
export async function examineOutside(problem: readonly Check[]): Promise<Check[]> {
  const units = await readInstalledUnits();
  const environment = { env: {}, file: serviceEnvFile(), keyFile: null };
  const installed = await examineInstalled(environment, units, null);
  return [checkSystem(), ...problem, ...installed, ...(await checkHost({ ofService: true }))];
}

async function examineService({ apiUrl, apiKey }: Usable, env: Environment): Promise<Check[]> {
  if (apiUrl === null) return [checksNamed("service").skip("not asked: AGENT_API_URL is not usable")];
  const { checks, open } = await checkRoute(apiUrl, env);
  if (!open) return [...checks, checksNamed("service").skip("not asked: it cannot be reached")];
  return [...checks, ...(await checkService(apiUrl, apiKey || null))];
}

async function examineState(
  { local, adminPort, wake, apiKey }: Usable,
  environment: CommandEnvironment,
  units: InstalledUnits | null,
): Promise<Check[]> {
  if (local === null) return [checksNamed("vault").skip("not checked: VAULT_PATH is not usable")];
  const paths = statePaths(local.vaultPath);
  const found = await checkAgentProcess({ local, adminPort, wake }, paths);
  const { env, file, keyFile } = environment;
  const keyFiles = [file, keyFile].filter((path) => path !== null);
  const jobUser = agentReader(env).text("JOB_USER");
  const isolation = checkIsolation({ found, units, jobUser, keyFiles, agentUid: accountOf(units, paths) });
  const installed = await examineInstalled(environment, units, paths);
  const vault = await checkVault(paths.vault, apiKey || null);
  const journal = await checkJournal(paths.journal, { isRunning: found.isRunning });
  return [...found.checks, isolation, ...installed, ...vault, ...journal];
}

/** `paths`: null when the configuration cannot be read. */
async function examineInstalled(
  { env, file, keyFile }: CommandEnvironment,
  units: InstalledUnits | null,
  paths: StatePaths | null,
): Promise<Check[]> {
  const known = [
    units?.executable ?? process.execPath,
    ...(units?.files ?? []),
    file ?? [],
    paths ? dirname(paths.vault) : [],
  ];
  const files = await checkFiles({
    paths: known.flat(),
    keyFile,
    agentUid: accountOf(units, paths),
    jobUser: agentReader(env).text("JOB_USER"),
  });
  return [...(units === null ? [] : checkJobSocket(units)), ...files];
}

/** The uid of the agent's account: the unit's; without a unit, the owner of the agent's lock file, or this user. */
function accountOf(units: InstalledUnits | null, paths: StatePaths | null): number {
  const account = units === null ? null : findAccount(units.user);
  if (account !== null) return account.uid;
  try {
    return statSync(paths?.lock ?? "").uid;
  } catch {
    return process.getuid?.() ?? 0;
  }
}
