import { isVariableName } from "../../../schema/contract/variable-name.ts";
import { invalidParams } from "./failures.ts";

/**
 * What a program inherits. Everything else in the agent's environment stays with the agent: its key and the token of
 * its admin server are there.
 */
const INHERITED = [
  "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR XDG_RUNTIME_DIR SSL_CERT_FILE SSL_CERT_DIR",
  "HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy",
]
  .join(" ")
  .split(" ");
const INHERITED_ON_WINDOWS = [
  "ALLUSERSPROFILE APPDATA COMMONPROGRAMFILES COMPUTERNAME COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA NUMBER_OF_PROCESSORS",
  "OS PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PSMODULEPATH PUBLIC SYSTEMDRIVE",
  "SYSTEMROOT TEMP TMP USERDOMAIN USERNAME USERPROFILE WINDIR HTTP_PROXY HTTPS_PROXY NO_PROXY",
]
  .join(" ")
  .split(" ");
const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** Linux takes 128 KiB for each `NAME=value` with its final NUL (MAX_ARG_STRLEN); Windows 32,767 characters. */
const VARIABLE_MAX_BYTES = process.platform === "win32" ? 32_766 : 131_071;

export type Environment = Record<string, string>;

/** The part of the agent's own environment that a program may see. */
export function inheritedEnvironment(
  own: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): Environment {
  const windows = platform === "win32";
  const names = new Set(windows ? INHERITED_ON_WINDOWS : INHERITED);
  const environment: Environment = windows ? {} : { PATH: DEFAULT_PATH };
  for (const [name, value] of Object.entries(own)) {
    // Windows compares names without case, and keeps them as they were first written.
    const known = windows ? names.has(name.toUpperCase()) : names.has(name) || name.startsWith("LC_");
    if (known && value !== undefined) environment[name] = value;
  }
  return environment;
}

/** Refuses what no environment can carry, with the name of what is too much. */
export function checkVariables(variables: Readonly<Environment>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (!isVariableName(name)) throw invalidParams(`${name} cannot be the name of an environment variable.`);
    const problem = variableProblem(name, value);
    if (problem !== null)
      throw invalidParams(`The value of ${name} ${problem}. Pass less, or let the script fetch it.`);
  }
}

/** Why an environment cannot carry this value, as the end of a sentence; null when it can. */
export function variableProblem(name: string, value: string): string | null {
  if (value.includes("\0")) return "contains a NUL character, which no environment variable can carry";
  const bytes = Buffer.byteLength(name) + 1 + Buffer.byteLength(value);
  return bytes > VARIABLE_MAX_BYTES
    ? `has ${bytes} bytes; an environment variable holds at most ${VARIABLE_MAX_BYTES}`
    : null;
}
