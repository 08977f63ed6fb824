import { dirname, win32 } from "node:path";
import { serviceEnvFile } from "../../commands/environment.ts";
import type { Environment } from "../../config.ts";

/** Paths on Windows. Only administrators may change files below Program Files. */
export function windowsPlaces(env: Environment = process.env) {
  const envFile = serviceEnvFile(env);
  const data = dirname(envFile);
  return {
    executable: win32.join(env["ProgramFiles"] ?? "C:\\Program Files", "Bellhop", "bellhop-agent.exe"),
    data,
    envFile,
    vault: win32.join(data, "vault.json"),
    log: win32.join(data, "agent.log"),
    taskXml: win32.join(data, "task.xml"),
  };
}
