/**
 * The variables that a program inherits. All others stay with the agent, because its key and the token of its admin API
 * may be among them.
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

export type Environment = Record<string, string>;
/** Decides how an environment is written, and its limits. */
export type System = "posix" | "windows";
export const OWN_SYSTEM: System = process.platform === "win32" ? "windows" : "posix";

/** The part of the agent's own environment that a program may see. */
export function inheritedEnvironment(
  own: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): Environment {
  const windows = platform === "win32";
  const names = new Set(windows ? INHERITED_ON_WINDOWS : INHERITED);
  const environment: Environment = windows ? {} : { PATH: DEFAULT_PATH };
  for (const [name, value] of Object.entries(own)) {
    // Windows compares names without case, and keeps the case of the first assignment.
    const known = windows ? names.has(name.toUpperCase()) : names.has(name) || name.startsWith("LC_");
    if (known && value !== undefined) environment[name] = value;
  }
  return environment;
}

/** Variables that apply only to the agent's own account. */
const OF_ACCOUNT = new Set("HOME USER LOGNAME SHELL TMPDIR XDG_RUNTIME_DIR".split(" "));

/** The part of the environment that a job's program may see. A proxy login is a secret of the agent. */
export function jobEnvironment({ otherAccount }: { otherAccount: boolean }, own = process.env): Environment {
  const inherited = inheritedEnvironment(own);
  if (!otherAccount) return inherited;
  const kept = Object.entries(inherited).filter(([name]) => !OF_ACCOUNT.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, /_proxy$/iu.test(name) ? withoutLogin(value) : value]));
}

/** An address without `user:password@`. */
function withoutLogin(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/]*@/iu, "$1");
}

/**
 * The trace context for a job's program, which OpenTelemetry's SDKs read. A variable of this name that the workflow sets
 * counts.
 */
export function traceEnvironment({ traceparent }: { traceparent: string | null }): Environment {
  return traceparent === null ? {} : { TRACEPARENT: traceparent };
}

/** Merges environments. For a repeated name the later value counts. Windows compares names without case. */
export function mergedEnvironment(system: System, ...sources: readonly Readonly<Environment>[]): Environment {
  const entries = sources.flatMap((source) => Object.entries(source));
  const key = (name: string): string => (system === "windows" ? name.toUpperCase() : name);
  const byKey = new Map(entries.map(([name, value]) => [key(name), [name, value] as const]));
  return Object.fromEntries(byKey.values());
}
