/** cmd.exe, which starts every command of the remote shell, reads 8,191 characters, and needs some itself. */
export const COMMAND_LINE_MAX_CHARS = 8_000;
/**
 * Appended to the script, because calling a compiled script always counts as a success. The first line break is for a
 * script that ends in a backtick, which would continue on the next line.
 */
const LAST_COMMAND_COUNTS = '"`n`nif (-not `$?) { exit 1 }"';
const PROGRAM = "powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -EncodedCommand ";
const LINE_CHARS = 4_000;
const BASE64_PER_LINE = new RegExp(`.{1,${LINE_CHARS}}`, "gu");

export interface PowerShellCall {
  commandLine: string;
  /** The standard input; null when the command line contains everything. */
  input: Buffer | null;
}

/**
 * Calls PowerShell with a script of any length: in the command line if it fits, else as base64 on standard input. The
 * script is compiled as a whole, so it may begin with `param` and `using`. The exit code is that of `exit`; without
 * one, 1 when an error ended the script or its last command failed, else 0.
 */
export function powerShellCall(script: string): PowerShellCall {
  const inline = commandLine(`'${script.replaceAll(/['\u2018-\u201B]/gu, "$&$&")}'`);
  if (inline.length <= COMMAND_LINE_MAX_CHARS) return { commandLine: inline, input: null };
  const lines = Buffer.from(script).toString("base64").match(BASE64_PER_LINE) ?? [];
  return {
    commandLine: commandLine("[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String(($input | Out-String)))"),
    input: Buffer.from(`${lines.join("\r\n")}\r\n`),
  };
}

/** `source`: an expression whose value is the script's text. */
function commandLine(source: string): string {
  const program = [
    // Progress would be written to standard error, and slows downloads down.
    "$ProgressPreference = 'SilentlyContinue'",
    // Compiled alone first: the appended code must not complete an unfinished script.
    `try { $bellhopText = ${source}; $bellhopScript = [ScriptBlock]::Create($bellhopText) }`,
    "catch { [Console]::Error.WriteLine($_.Exception.Message); exit 1 }",
    // A script of begin, process and end blocks allows no code after them, and runs unchanged.
    `try { $bellhopScript = [ScriptBlock]::Create($bellhopText + ${LAST_COMMAND_COUNTS}) } catch { }`,
    "& $bellhopScript",
  ].join("\n");
  return PROGRAM + Buffer.from(program, "utf16le").toString("base64");
}
