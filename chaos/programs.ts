import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { bundleWorker } from "../scripts/bundle-worker.ts";
import { ROOT } from "../scripts/paths.ts";
import { Child } from "./child.ts";
import type { ServiceSettings } from "./service-process.ts";

/** The places of a run's programs. The service keeps the port of its first start. */
export interface Place {
  directory: string;
  logDirectory: string;
  objectsDirectory: string;
}

export async function makePlace(directory: string): Promise<Place> {
  const place = {
    directory,
    logDirectory: join(directory, "logs"),
    objectsDirectory: join(directory, "objects"),
  };
  for (const each of [place.logDirectory, place.objectsDirectory, join(directory, "tmp")]) {
    await mkdir(each, { recursive: true, mode: 0o700 });
  }
  return place;
}

export async function startService(
  place: Place,
  given: Pick<ServiceSettings, "bindings" | "tickEveryMs">,
): Promise<{ child: Child; port: number }> {
  const scriptFile = join(place.directory, "worker.mjs");
  await Bun.write(scriptFile, await bundleWorker());
  const settings: ServiceSettings = { scriptFile, persistTo: place.objectsDirectory, port: 0, ...given };
  const child = new Child({
    ...common(place, "service"),
    command: [process.execPath, join(ROOT, "chaos/service-process.ts")],
    firstLine: JSON.stringify(settings),
    ready: /serving on \S+:(\d+)/u,
  });
  const port = portIn(await child.start());
  child.change({ firstLine: JSON.stringify({ ...settings, port }) });
  return { child, port };
}

export interface AgentSettings {
  name: string;
  executable: string;
  apiUrl: string;
  recorderUrl: string;
}

/** An agent before its first start; `environmentOf` gives it its key. */
export async function makeAgent(place: Place, settings: AgentSettings): Promise<{ child: Child; home: string }> {
  const home = join(place.directory, settings.name);
  await mkdir(home, { recursive: true, mode: 0o700 });
  const child = new Child({
    ...common(place, settings.name),
    cwd: home,
    command: [settings.executable],
    // The agent itself waits for an absent service.
    ready: null,
  });
  return { child, home };
}

export function agentEnvironment(place: Place, home: string, apiKey: string, settings: AgentSettings) {
  return {
    ...common(place, settings.name).env,
    AGENT_API_URL: settings.apiUrl,
    AGENT_API_KEY: apiKey,
    JOB_USER: "off",
    AGENT_NAME: settings.name,
    VAULT_PATH: join(home, "vault.json"),
    ADMIN_PORT: "0",
    POLL_INTERVAL: "0.5",
    HEARTBEAT_INTERVAL: "5",
    MAX_CONCURRENT_JOBS: "8",
    LOG_LEVEL: "DEBUG",
    // The recorder is on this machine.
    ALLOW_PRIVATE_NETWORK: "true",
    SLACK_API_URL: `${settings.recorderUrl}/slack`,
  };
}

/** The options that all programs share. */
export function common(place: Place, name: string) {
  return {
    name,
    cwd: place.directory,
    env: { PATH: process.env["PATH"] ?? "", HOME: place.directory, TMPDIR: join(place.directory, "tmp") },
    logFile: join(place.logDirectory, `${name}.log`),
  };
}

/** The port in the line that marks a program as ready. */
export function portIn(found: RegExpExecArray | null): number {
  const port = Number(found?.[1]);
  if (!Number.isInteger(port) || port === 0) throw new Error("a program did not say on which port it listens");
  return port;
}
