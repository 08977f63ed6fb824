import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { replaceFile } from "../../atomic-file.ts";
import { hostFacts } from "../../commands/environment.ts";
import { EXIT } from "../../exit-codes.ts";
import { isLocked } from "../../journal/process-lock.ts";
import { statePaths } from "../../paths.ts";
import { readStatusFile } from "../../status-file.ts";
import { icaclsArguments, takeDirectory } from "../../windows-access.ts";
import { agentFacts, describeAgent, describeRows } from "../agent-facts.ts";
import { askForKey, keyFromFile } from "../api-key.ts";
import type { InstallOptions, ServiceCommand } from "../arguments.ts";
import { shownEnvText } from "../env-text.ts";
import { mustRun, runProgram } from "../run-program.ts";
import { enrolled, gatherSettings } from "../settings.ts";
import { windowsPlaces } from "./places.ts";
import { SCHTASKS, TASK, taskXml, taskXmlBytes } from "./task.ts";

const WAIT_MS = 60_000;
const LOOK_MS = 250;

type Say = (line: string) => void;

/** `bellhop-agent service …` on Windows, through Task Scheduler. Throws CommandRefused. */
export async function onWindows(command: ServiceCommand, say: Say): Promise<number> {
  switch (command.verb) {
    case "install":
      return install(command, say);
    case "uninstall":
      return uninstall(command, say);
    case "status":
      return status(command, say);
  }
}

async function install(options: InstallOptions, say: Say): Promise<number> {
  const places = windowsPlaces();
  const key: Record<string, string> =
    options.keyFile === null ? {} : { AGENT_API_KEY: await keyFromFile(options.keyFile) };
  const settings = await gatherSettings({
    path: places.envFile,
    env: process.env,
    given: { ...(options.url === null ? {} : { AGENT_API_URL: options.url }), ...key },
    defaults: { VAULT_PATH: places.vault },
    host: { hostName: hostname(), platform: "win32", homeDirectory: places.data, workingDirectory: places.data },
    keyFile: null,
    askKey: askForKey,
  });
  const xml = taskXml(places);
  if (options.dryRun) {
    say(`Nothing is written. It would copy this executable to ${places.executable}, write ${places.envFile}:`);
    say(shownEnvText(settings.text));
    say(`and make the task "${TASK}":\n${xml}`);
    return EXIT.ok;
  }
  // Closed to others before the key is written into it.
  await mkdir(places.data, { recursive: true });
  await takeDirectory(places.data);
  const { text } = await enrolled(settings);
  await replaceFile(places.envFile, (file) => file.writeFile(text));
  await mustRun("icacls", icaclsArguments(places.envFile, "file"), `closing ${places.envFile} to other users`);
  say(`wrote ${places.envFile}`);
  await runProgram("schtasks", SCHTASKS.end);
  await placeExecutable(places.executable, say);
  await writeFile(places.taskXml, taskXmlBytes(xml));
  await mustRun("schtasks", SCHTASKS.create(places.taskXml), "making the task");
  await rm(places.taskXml);
  // The minute trigger may have started the previous task again.
  await runProgram("schtasks", SCHTASKS.end);
  await mustRun("schtasks", SCHTASKS.run, "starting the task");
  say(`the task "${TASK}" starts the agent now and with the system`);
  return options.wait ? waitUntilRegistered(settings.config.vaultPath, say) : EXIT.ok;
}

/** A running executable cannot be overwritten, but it can be renamed. */
async function placeExecutable(path: string, say: Say): Promise<void> {
  if (process.execPath.toLowerCase() === path.toLowerCase()) return;
  await mkdir(dirname(path), { recursive: true });
  await copyFile(process.execPath, `${path}.new`);
  if (existsSync(path)) {
    await rm(`${path}.old`, { force: true });
    await rename(path, `${path}.old`);
  }
  await rename(`${path}.new`, path);
  say(`copied this executable to ${path}`);
}

async function waitUntilRegistered(vaultPath: string, say: Say): Promise<number> {
  const paths = statePaths(vaultPath);
  const before = readStatusFile(paths.status)?.instanceId;
  const deadline = performance.now() + WAIT_MS;
  while (performance.now() < deadline) {
    const registered = readStatusFile(paths.status);
    if (registered !== null && registered.instanceId !== before && isLocked(paths.lock)) {
      say(`registered as ${registered.agentId}, version ${registered.version}`);
      return EXIT.ok;
    }
    await Bun.sleep(LOOK_MS);
  }
  say(
    `The task is made, but the agent has not registered within ${WAIT_MS / 1_000} s: ${windowsPlaces().log} and bellhop-agent doctor show the cause`,
  );
  return EXIT.unavailable;
}

async function uninstall({ purge }: { purge: boolean }, say: Say): Promise<number> {
  const places = windowsPlaces();
  if ((await runProgram("schtasks", SCHTASKS.query)).code === 0) {
    // Disabled first: otherwise the task would start again within a minute. Task Scheduler gives a program no time to
    // end, so running jobs are reported as interrupted, or are lost.
    await mustRun("schtasks", SCHTASKS.disable, "disabling the task");
    await runProgram("schtasks", SCHTASKS.end);
    await mustRun("schtasks", SCHTASKS.delete, "removing the task");
    say(`stopped the agent and removed the task "${TASK}"`);
  } else {
    say(`there is no task "${TASK}"`);
  }
  if (purge) {
    await rm(places.data, { recursive: true, force: true });
    say(`removed ${places.data}; the agent's key is still valid: delete the agent in the deployment`);
  } else if (existsSync(places.data)) {
    say(`kept ${places.data}: service install uses it again, uninstall --purge removes it`);
  }
  say(`the executable stays: ${places.executable}`);
  return EXIT.ok;
}

async function status({ json }: { json: boolean }, say: Say): Promise<number> {
  const places = windowsPlaces();
  const { code, stdout } = await runProgram("schtasks", SCHTASKS.query);
  if (code !== 0) {
    say(json ? JSON.stringify({ installed: false }) : "not installed: bellhop-agent service install does it");
    return EXIT.unavailable;
  }
  const facts = await agentFacts(hostFacts());
  const isEnabled = !/<Settings>[^]*<Enabled>false<\/Enabled>[^]*<\/Settings>/u.test(stdout.replaceAll("\0", ""));
  // Task Scheduler shows states in the system's language. The agent's own lock is the same everywhere.
  const running = facts.vaultPath !== null && isLocked(statePaths(facts.vaultPath).lock);
  if (json) say(JSON.stringify({ installed: true, enabled: isEnabled, running, ...facts }, null, 2));
  else {
    const boot = isEnabled ? "starts with the system" : "is disabled";
    const rows: [string, string][] = [
      ["task", `"${TASK}" ${boot}; the agent ${running ? "runs" : "does not run"}`],
      ...(running ? describeAgent(facts, isReadable(places.envFile)) : []),
      ["executable", places.executable],
      ["config", places.envFile],
      ["vault", facts.vaultPath ?? "not known: run this as an administrator"],
      ["log", `${places.log}; Event Viewer (TaskScheduler/Operational) says when it was started and how it ended`],
    ];
    say(describeRows(rows).trimEnd());
  }
  return running ? EXIT.ok : EXIT.unavailable;
}

function isReadable(path: string): boolean {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
}
