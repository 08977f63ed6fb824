import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { signInMethodsSchema } from "../schema/contract/people.ts";
import { localVaultPath, startAgentProcess } from "./local/agent-process.ts";
import type { AgentProcess } from "./local/agent-process.ts";
import { createApi } from "./local/api.ts";
import { endLeftBehind, nameOf, recordChildren } from "./local/children.ts";
import { STATE_MARKS, moveEarlierState } from "./local/earlier-state.ts";
import { createExample, createScriptConnection } from "./local/example.ts";
import { watchKey } from "./local/key-watch.ts";
import { isPortFree } from "./local/free-port.ts";
import { notificationProblems } from "./local/notification-problems.ts";
import { ownAgent } from "./local/own-agent.ts";
import { startService } from "./local/service.ts";
import { makeStateDirectory } from "./local/state-directory.ts";
import { lockState } from "./local/state-lock.ts";
import { localAgentSettings, misspeltSettings, serviceProblems } from "./local/start-environment.ts";
import { readSettings, writeSettings } from "./local/settings.ts";
import type { LocalSettings } from "./local/settings.ts";
import { databaseChoice, nameOfDatabase, requireAddressOfToken, requireSameDatabase } from "./database-choice.ts";
import { refuseUnknownOptions } from "./known-options.ts";
import { ROOT } from "./paths.ts";
import { ageOfState, writeFormat } from "./state-format.ts";

/** `npm start`: the service and one agent on this machine, with data that stays (README.md#try-it). Ctrl-C stops both. */
refuseUnknownOptions("npm start", process.argv.slice(2), []);
const stateDirectory = resolve(process.env["BELLHOP_STATE"] || join(ROOT, ".bellhop"));
const port = portFrom(process.env["PORT"] ?? "8787");
/** The agent has JOB_USER=off: on this machine the person who starts Bellhop also edits its workflows. */
const JOBS_LINE = `  jobs          run as ${process.getuid?.() === 0 ? "root" : "your own account"} and can read the agent's files and secrets; see docs/install-agent.md (isolation: none)`;
/** How long the kernel may take to close the sockets of ended processes. */
const PORT_WAIT_MS = 15_000;
/** How long a start that is asked to stop may take to get ready, so that it can stop in order. */
const START_ENDS_WITHIN_MS = 5_000;
const localAgent = localAgentSettings(process.env);

let agent: AgentProcess | null = null;
let stopping = false;
const stopAsked = new Promise<void>((stop) => {
  const ask = () => {
    // The first signal asks to finish, the second one ends immediately.
    if (stopping) agent?.hurry();
    stop();
  };
  process.on("SIGINT", ask);
  process.on("SIGTERM", ask);
  // The process that started this one has ended, in any way.
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && stop(), 500).unref();
});

for (const problem of misspeltSettings(process.env)) complain(problem);
const wrongSettings = [...localAgent.problems, ...serviceProblems(process.env)];
if (wrongSettings.length > 0) {
  for (const problem of wrongSettings) complain(problem);
  process.exit(1);
}
orRefuse(() => requireAddressOfToken(process.env));
const database = orRefuse(() => databaseChoice(process.env));
orRefuse(() => makeStateDirectory(stateDirectory));
const locks = [orRefuse(() => lockState(stateDirectory)) ?? refuseUsedState()];
const age = orRefuse(() => ageOfState(stateDirectory, STATE_MARKS));
// Before the check of the port, which these processes hold.
const hasEndedOthers = await endFormerRun();
await refuseTakenPort(hasEndedOthers ? PORT_WAIT_MS : 0).catch(refuse);
if (age === "earlier") beginNewState();
if (age !== "current") orRefuse(() => writeFormat(stateDirectory));
const settingsFile = join(stateDirectory, "settings.json");
const isNewState = !existsSync(settingsFile);
let settings = await readSettings(stateDirectory, nameOfDatabase(database)).catch(refuse);
orRefuse(() => requireSameDatabase(stateDirectory, settings.database, database, otherDirectory));
const adminToken = process.env["BOOTSTRAP_ADMIN_TOKEN"] || settings.adminToken;
const starting = startService({ stateDirectory, port, adminToken, settings, database });
// A database may accept connections and never answer.
const stoppedEarly = stopAsked.then(() => sleep(START_ENDS_WITHIN_MS)).then(() => null);
const service = (await Promise.race([starting, stoppedEarly]).catch(failedToStart)) ?? stopEarly();
try {
  if (localAgent.withAgent) agent = await startLocalAgent();
  await printNotificationProblems();
  printWelcome(await needsSetup());
  await Promise.race([stopAsked, agent === null ? stopAsked : agent.exited.then(reportAgentEnd).then(() => stopAsked)]);
  stopping = true;
  console.log(
    `\nStopping …${agent === null ? "" : " The agent finishes its jobs first, for at most 30 s; Ctrl-C again ends them."}`,
  );
} catch (error) {
  process.exitCode = 1;
  complain(error);
} finally {
  await agent?.stop();
  await service.stop();
  for (const lock of locks) lock.release();
}
process.exit();

function beginNewState(): void {
  const aside = orRefuse(() => moveEarlierState(stateDirectory));
  console.error(`bellhop: the state of an earlier version was moved to ${aside}. Bellhop starts with empty state.`);
  locks.push(orRefuse(() => lockState(stateDirectory)) ?? refuseUsedState());
}

/** The end of the sentence about a state that began with another database. */
function otherDirectory(began: string): string {
  const variable = began === "sqld" ? "DATABASE=sqld" : `DATABASE_URL=${began}`;
  const before = began === "ours" ? "unset DATABASE and DATABASE_URL" : `set ${variable}`;
  return `${before}, or choose another directory: BELLHOP_STATE=<directory> npm start`;
}

function orRefuse<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  complain(error);
  return process.exit(1);
}

function complain(error: unknown): void {
  console.error(`bellhop: ${error instanceof Error ? error.message : String(error)}`);
}

async function startLocalAgent(): Promise<AgentProcess> {
  const api = createApi(service.url, adminToken);
  const own = await ownAgent(
    api,
    { serviceUrl: service.url, vaultPath: localVaultPath(stateDirectory) },
    settings.agent,
  );
  if (own.agent !== settings.agent) await keep({ ...settings, agent: own.agent });
  if (own.note !== null) console.error(`bellhop: ${own.note}`);
  if (settings.example === undefined) {
    const example = await createExample(api, await createScriptConnection(api));
    await keep({ ...settings, example });
  }
  const started = await startAgentProcess({
    stateDirectory,
    apiUrl: service.url,
    apiKey: own.agent.apiKey,
    environment: localAgent.settings,
  });
  recordChildren(stateDirectory);
  const watch = watchKey({ serviceUrl: service.url, apiKey: own.agent.apiKey, onRefused: reportRefusedKey });
  return {
    ...started,
    stop: (waitMs) => {
      watch.stop();
      return started.stop(waitMs);
    },
  };
}

async function keep(next: LocalSettings): Promise<void> {
  settings = next;
  await writeSettings(stateDirectory, settings);
}

/** No person has an account yet. */
async function needsSetup(): Promise<boolean> {
  const response = await fetch(`${service.url}/api/v1/auth/methods`, { signal: AbortSignal.timeout(30_000) });
  return z.object({ data: signInMethodsSchema }).parse(await response.json()).data.needsSetup;
}

function printWelcome(isFirst: boolean): void {
  const { example } = settings;
  const signIn = isFirst
    ? "The first time, enter the bootstrap token (below) to make your account."
    : "Sign in with your account.";
  console.log(`
Bellhop runs. Open its console in your browser:

  ${service.url}

  ${signIn}

  admin token   ${adminToken} (the bootstrap token)
  state         ${stateDirectory}
  database      ${service.databaseUrl} (${service.databaseName})
  log           ${service.logFile}
  agent         ${agent === null ? "none (BELLHOP_LOCAL_AGENT=off)" : `process ${agent.pid}, log ${agent.logFile}\n${JOBS_LINE}`}
  releases      ${service.downloadsDirectory} (of the agent; npm run publish:agent -- --to disk <this directory>)
  reference     ${service.url}/docs describes every call of the API
`);
  const auth = `-H "Authorization: Bearer ${adminToken}"`;
  if (agent === null || example === undefined) {
    console.log(`Try it:\n  curl ${auth} ${service.url}/api/v1/automation/agents\n`);
  } else {
    console.log(`Ring the bell; then look at what ran:
  curl -X POST ${service.url}/api/v1/automation/webhooks/${example.webhookKey} -H "Authorization: Bearer ${example.webhookSecret}" -H "Content-Type: application/json" -d '{"variables":{"service":"checkout"}}'
  curl ${auth} "${service.url}/api/v1/automation/executions?limit=1"
`);
  }
  console.log("Ctrl-C stops everything; a second start keeps the data.");
}

async function printNotificationProblems(): Promise<void> {
  const unasked = (error: unknown) => [`the notification channels could not be checked: ${String(error)}`];
  const problems = await notificationProblems(createApi(service.url, adminToken)).catch(unasked);
  for (const problem of problems) console.error(`bellhop: ${problem}`);
}

function reportRefusedKey(): void {
  if (stopping) return;
  console.error(
    "bellhop: the service no longer accepts the key of its agent (it was regenerated, or the agent was deleted), so the agent gets no jobs. Stop with Ctrl+C and start again: the agent then gets a new key.",
  );
}

function reportAgentEnd(code: number): void {
  if (stopping) return;
  console.error(
    `bellhop: the agent ended with code ${code}; see ${agent?.logFile ?? "its log"}. The service continues.`,
  );
}

function portFrom(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
  console.error(`bellhop: PORT is "${text}"; give a number from 0 to 65535 (0 takes a free port).`);
  return process.exit(1);
}

function refuseUsedState(): never {
  console.error(
    `bellhop: ${stateDirectory} is in use by another npm start. Stop it, or choose another directory: BELLHOP_STATE=<directory> npm start.`,
  );
  return process.exit(1);
}

/** Whether a killed run had left processes behind. */
async function endFormerRun(): Promise<boolean> {
  const ended = await endLeftBehind(stateDirectory, undefined, (slow) => {
    console.error(`bellhop: a former run was killed; waiting for ${slow.map(nameOf).join(" and ")} to end …`);
  }).catch(refuse);
  if (ended.length === 0) return false;
  const names = ended.map(nameOf).join(" and ");
  const are = ended.length === 1 ? "it is" : "they are";
  console.error(`bellhop: a former run was killed and had left ${names} behind: ${are} ended.`);
  return true;
}

/** Checked before anything is made: workerd would only print a stack trace. */
async function refuseTakenPort(waitMs: number): Promise<void> {
  if (port === 0) return;
  const onLong = () => console.error(`bellhop: waiting for port ${port} of 127.0.0.1 to be free …`);
  if (await isPortFree(port, waitMs, onLong)) return;
  console.error(
    `bellhop: port ${port} of 127.0.0.1 is taken. Stop the program that uses it, or choose another port: PORT=${port + 1} npm start.`,
  );
  process.exit(1);
}

/** A wrong DATABASE_URL must not bind the state: nothing has begun yet. */
function forgetNewState(): void {
  if (isNewState) rmSync(settingsFile, { force: true });
}

function stopEarly(): never {
  forgetNewState();
  console.error("bellhop: stopped before it was ready.");
  return process.exit(0);
}

function failedToStart(error: unknown): never {
  forgetNewState();
  console.error(`bellhop: the service did not start: ${error instanceof Error ? error.message : String(error)}`);
  return process.exit(1);
}
