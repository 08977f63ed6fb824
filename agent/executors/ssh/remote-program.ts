import { randomBytes } from "node:crypto";
import { type Environment, traceEnvironment } from "../shared/environment.ts";
import { invalidParams } from "../shared/failures.ts";

export interface RemoteScript {
  /** A program name or path on the host. */
  interpreter: string;
  script: string;
  arguments: readonly string[];
  values: Readonly<Environment>;
  traceparent: string | null;
}

export interface RemoteProgram {
  /** For the standard input of `sh`. */
  text: string;
  /** Part of the line with which the program reports, and of its directory's name. */
  mark: string;
  /** The variables that must arrive. */
  names: readonly string[];
}

/**
 * The process that becomes the interpreter, as the argument of `sh -c`. It reads the names of the values from its
 * standard input. Its arguments are the directory, the mark, the group (by default its own process id) and the command.
 */
const LEADER = [
  "while read -r bellhop_name",
  String.raw`do eval "test \"\${$bellhop_name+x}\"" || { printf "\n%s\n" "$1 !env"; exit 125; }`,
  "done",
  'printf "\\n%s %s %s\\n" "$1" "${2:-$$}" "$0" || exit 125',
  'shift 2; exec "$@" </dev/null',
].join("\n");

/**
 * The POSIX shell program that runs a script on a host: one compound command on standard input, because `ps` shows
 * command lines to every user, and a part of the program after a lost connection must be a syntax error. The script is
 * in a private directory, which the program removes. The script starts as the leader of a new process group, after the
 * line `<mark> <group> <directory>` was written to standard output: so no script starts unnoticed, and a running one
 * can be ended.
 */
export function remoteProgram(script: RemoteScript): RemoteProgram {
  const mark = `bellhop-${randomBytes(16).toString("hex")}`;
  for (const text of [script.script, ...script.arguments]) {
    if (text.includes("\0"))
      throw invalidParams("A script or an argument contains a NUL, which no shell can carry. Remove it.");
  }
  const details = interpreterDetails(script.interpreter);
  const names = Object.keys(script.values);
  const environment = { ...details.environment, ...traceEnvironment(script) };
  // Not checked: a host where one of these names is read-only runs the script all the same.
  const exports = Object.entries(environment).map(([name, value]) => `command export ${name}=${quoted(value)}`);
  const values = Object.entries(script.values).map(([name, value]) => `bellhop_set ${name} ${quoted(value)}`);
  const command = [script.interpreter, ...details.options].map(quoted).join(" ");
  const half = mark.length / 2;
  const lines = [
    "{",
    // Messages of the shell itself, such as "Terminated", do not belong to the script.
    "exec 3>&2 2>/dev/null",
    // Assembled on the host: an echo of this text never contains the mark with a space after it.
    `bellhop_mark='${mark.slice(0, half)}''${mark.slice(half)}'`,
    `bellhop_fail() { printf '\\n%s\\n' "$bellhop_mark !$1"; exit 125; }`,
    // `command` keeps a read-only name from ending the shell. Names with a meaning for shells (RANDOM) were refused
    // before.
    String.raw`bellhop_set() { command export "$1=$2" && eval "test \"\$$1\" = \"\$2\"" || bellhop_fail env; }`,
    "bellhop_mask=$(umask)",
    "umask 077",
    "bellhop_dir=${TMPDIR:-/tmp}/$bellhop_mark",
    `case $bellhop_dir in /*) ;; *) bellhop_dir=/tmp/$bellhop_mark; esac`,
    `mkdir "$bellhop_dir" || { bellhop_dir=$HOME/.$bellhop_mark; mkdir "$bellhop_dir"; } || bellhop_fail directory`,
    `bellhop_file=$bellhop_dir/${details.fileName}`,
    `cat >"$bellhop_file" <<'${mark}' || bellhop_fail directory`,
    script.script.replace(/\n$/u, ""),
    mark,
    'umask "$bellhop_mask"',
    "bellhop_sh=$(command -v sh)",
    // Without a program that makes a new group, the shell's own group is used: sshd starts every command in a new one.
    "bellhop_group=",
    'if bellhop_setsid=$(command -v setsid); then bellhop_lead() { "$bellhop_setsid" "$@"; }',
    "elif bellhop_perl=$(command -v perl); then",
    '  bellhop_lead() { "$bellhop_perl" -e \'setpgrp 0, 0; exec @ARGV\' "$@"; }',
    "else",
    '  bellhop_lead() { trap : TERM; "$@"; }',
    "  bellhop_group=$(ps -o pgid= -p $$ | tr -d ' ')",
    '  test "$bellhop_group" || read -r _ _ _ _ bellhop_group _ </proc/$$/stat',
    "  bellhop_group=${bellhop_group:-unknown}",
    "  trap : TERM",
    "fi",
    // A subshell, so that a PATH or HOME applies only to the script. Each value is checked here and by the leader.
    "(",
    ...exports,
    ...values,
    `command -v ${quoted(script.interpreter)} >/dev/null || bellhop_fail interpreter`,
    `set -- ${command} "$bellhop_file" ${script.arguments.map(quoted).join(" ")}`,
    `bellhop_lead "$bellhop_sh" -c '${LEADER}' \\`,
    `  "$bellhop_dir" "$bellhop_mark" "$bellhop_group" "$@" 2>&3 3>&- <<'${mark}'`,
    ...names,
    mark,
    ")",
    "bellhop_code=$?",
    'rm -rf "$bellhop_dir"',
    'exit "$bellhop_code"',
    "}",
    "",
  ];
  return { text: lines.join("\n"), mark, names };
}

/**
 * Ends a process group on the host and removes its directory: SIGTERM, and SIGKILL after 2 s. Prints `<mark> gone` when
 * nothing of the group is left.
 */
export function endingProgram(mark: string, group: number, directory: string): string {
  return [
    "{",
    "exec 2>/dev/null",
    // Without an init process (in a container) zombies are never collected, and would count as left forever.
    `bellhop_left() {`,
    `  kill -s 0 -- -${group} || return 1`,
    "  test -r /proc/self/stat || return 0",
    "  for bellhop_stat in /proc/[0-9]*/stat; do",
    '    read -r bellhop_line <"$bellhop_stat" || continue',
    "    set -- ${bellhop_line##*) }",
    `    test "$3" = ${group} && test "$1" != Z && return 0`,
    "  done",
    "  return 1",
    "}",
    `kill -s TERM -- -${group}`,
    "bellhop_turn=0",
    'while [ "$bellhop_turn" -lt 20 ] && bellhop_left; do',
    "  sleep 0.1 || { sleep 1; bellhop_turn=$((bellhop_turn + 9)); }",
    "  bellhop_turn=$((bellhop_turn + 1))",
    "done",
    `bellhop_left && { kill -s KILL -- -${group}; sleep 0.1 || sleep 1; }`,
    `rm -rf ${quoted(directory)}`,
    `bellhop_left || echo ${mark} gone`,
    "}",
    "",
  ].join("\n");
}

function interpreterDetails(interpreter: string): { fileName: string; options: string[]; environment: Environment } {
  const program = interpreter.split("/").at(-1) ?? "";
  // PowerShell runs a file only with its extension.
  if (program === "pwsh")
    return { fileName: "script.ps1", options: ["-NoProfile", "-NonInteractive", "-File"], environment: {} };
  // Otherwise a time-out would lose Python's buffered output, and a Latin-1 locale would change its input.
  const environment: Environment = program.startsWith("python") ? { PYTHONUNBUFFERED: "1", PYTHONUTF8: "1" } : {};
  return { fileName: "script", options: [], environment };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
