/** cmd.exe, which starts every command of the remote shell, reads 8,191 characters; its own call needs some. */
export const COMMAND_LINE_MAX_CHARS = 8_000;
/**
 * Stands behind the script, because calling a compiled script always counts as a success. The first line's end goes where
 * the script ends in a backtick, which would draw the next line to it.
 */
const LAST_COMMAND_COUNTS = '"`n`nif (-not `$?) { exit 1 }"';
const PROGRAM = "powershell.exe -NoProfile -NonInteractive -ExecutionPolicy Bypass -EncodedCommand ";
const LINE_CHARS = 4_000;
const BASE64_PER_LINE = new RegExp(`.{1,${LINE_CHARS}}`, "gu");

export interface PowerShellCall {
  commandLine: string;
  /** What is sent to its standard input; null when the command line holds all. */
  input: Buffer | null;
}

/**
 * Calls PowerShell with a script of any length: in the command line when it fits, else by standard input, in base64. The
 * script is compiled as a whole, so `param` and `using` may begin it. Its exit code is that of `exit`; without
 * one, it is 1 when an error ended it or its last command failed, else 0.
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
    // Progress would be written to standard error, and makes downloads slow.
    "$ProgressPreference = 'SilentlyContinue'",
    // Alone first: what follows must not complete a script that breaks off.
    `try { $bellhopText = ${source}; $bellhopScript = [ScriptBlock]::Create($bellhopText) }`,
    "catch { [Console]::Error.WriteLine($_.Exception.Message); exit 1 }",
    // A script of begin, process and end blocks takes nothing behind them, and runs as it is.
    `try { $bellhopScript = [ScriptBlock]::Create($bellhopText + ${LAST_COMMAND_COUNTS}) } catch { }`,
    "& $bellhopScript",
  ].join("\n");
  return PROGRAM + Buffer.from(program, "utf16le").toString("base64");
}
