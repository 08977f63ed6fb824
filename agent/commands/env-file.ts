import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { hasCode } from "../atomic-file.ts";
import { EXIT, StartRefused } from "../exit-codes.ts";
import { describeError } from "../log.ts";

export type EnvFileResult =
  | { ok: true; variables: Record<string, string> }
  /** `line` counts from 1. The problems never repeat a value. */
  | { ok: false; problems: { line: number; problem: string }[] };

export type EnvFileDialect = "posix" | "windows";

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/u;
// oxlint-disable-next-line no-control-regex -- finds control characters
const CONTROL_CHARACTER = /[\u0000-\u0008\u000a-\u001f\u007f]/u;

/**
 * Reads lines of `NAME=value`, blank lines and comments (`#`, `;`). Syntax that systemd's EnvironmentFile= interprets
 * (quotes, backslashes, continued lines) is refused, so that a file means the same to both; `$` is literal. On Windows
 * a backslash is literal, too: systemd never reads the file there.
 */
export function parseEnvFile(text: string, dialect: EnvFileDialect): EnvFileResult {
  const variables = new Map<string, string>();
  const problems: { line: number; problem: string }[] = [];
  // Notepad writes a byte order mark.
  const lines = text.replace(/^\uFEFF/u, "").split(/\r?\n/u);
  for (const [index, raw] of lines.entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const equals = line.indexOf("=");
    const name = line.slice(0, equals);
    const value = line.slice(equals + 1).trim();
    const problem = equals === -1 ? "must be NAME=value" : problemWith(name, value, variables, dialect);
    if (problem === null) variables.set(name, value);
    else problems.push({ line: index + 1, problem });
  }
  return problems.length === 0 ? { ok: true, variables: Object.fromEntries(variables) } : { ok: false, problems };
}

function problemWith(
  name: string,
  value: string,
  known: ReadonlyMap<string, string>,
  dialect: EnvFileDialect,
): string | null {
  if (name.startsWith("export ")) return "must not begin with export: write NAME=value";
  if (!NAME.test(name)) return "must begin with a name of letters, digits and _, right before the equals sign";
  if (known.has(name)) return `sets ${name} a second time: keep one of the two`;
  if (CONTROL_CHARACTER.test(value)) return `gives ${name} a control character`;
  if (/^["']/u.test(value)) return `gives ${name} in quotes: write the value without them`;
  if (dialect === "posix" && value.includes("\\")) {
    return `gives ${name} a backslash, which systemd would not read literally: write the value without it`;
  }
  return null;
}

/**
 * The variables of a file that holds the agent's key. Throws StartRefused when the file cannot be read, when other
 * users can read it, and when lines are wrong; the message lists each wrong line.
 */
export function readEnvFile(path: string): Record<string, string> {
  const parsed = parseEnvFile(privateText(path), process.platform === "win32" ? "windows" : "posix");
  if (parsed.ok) return parsed.variables;
  const lines = parsed.problems.map(({ line, problem }) => `  ${path}, line ${line}: ${problem}`);
  throw new StartRefused(EXIT.config, ["the configuration is wrong:", ...lines].join("\n"));
}

function privateText(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const status = fstatSync(file);
    if (!status.isFile()) throw new Error("it is not a file");
    // Windows has no such mode. There `service install` sets the file's access list.
    if (process.platform !== "win32" && (status.mode & 0o077) !== 0) {
      throw new StartRefused(
        EXIT.config,
        `other users may read ${path}, which holds the agent's key: close it to them (chmod 600 ${path}), and make a new ` +
          "key if another person may have seen this one",
      );
    }
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof StartRefused) throw error;
    if (hasCode(error, "EACCES")) {
      throw new StartRefused(
        EXIT.notAllowed,
        `${path} holds the agent's key and this user may not read it: run the command as its owner, or with sudo`,
        { cause: error },
      );
    }
    const what = hasCode(error, "ENOENT")
      ? `there is no file ${path}`
      : `cannot read ${path} (${describeError(error)})`;
    throw new StartRefused(EXIT.config, `${what}: --env-file names a file of lines such as AGENT_API_KEY=…`, {
      cause: error,
    });
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
