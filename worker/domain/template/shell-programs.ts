/**
 * What is known of commands that run their arguments. A table can never be complete: it holds what people write in
 * scripts, so that a value does not reach a second interpreter by way of the first.
 */

/** These evaluate, or take the names of variables, or run files: no argument of theirs may be a value. */
export const EVALUATING: Readonly<Record<string, string>> = {
  eval: "write the command itself",
  source: "write the file's name itself",
  ".": "write the file's name itself",
  let: "put it into a variable and check that it is a number first",
  integer: "write name={{…}} on a line of its own",
  nameref: "write name={{…}} on a line of its own",
  read: "give variables their values with name={{…}}",
  mapfile: "give variables their values with name={{…}}",
  readarray: "give variables their values with name={{…}}",
  unset: "write the variable's name itself",
  getopts: "write the options themselves",
  trap: "put it into a variable and use that in the trap's command",
  alias: "use a function",
  bind: "write the binding itself",
  complete: "write the completion itself",
  compgen: "write the completion itself",
  enable: "write the name itself",
  hash: "write the name itself",
  fc: "write the command itself",
  jobs: "write the job itself",
  wait: "write the job itself",
  coproc: "write the command itself",
  ssh: "use the action ssh.executeCommand, which passes values safely",
  rsh: "use the action ssh.executeCommand, which passes values safely",
  mosh: "use the action ssh.executeCommand, which passes values safely",
  watch: "write the command itself",
  parallel: "write the command itself",
  at: "write the command itself",
  batch: "write the command itself",
  crontab: "write the table itself",
  sqlite3: "use the action database.executeQuery",
  make: "make evaluates $(…) in values, in the environment, too: write the target yourself",
  gmake: "make evaluates $(…) in values, in the environment, too: write the target yourself",
  m4: "use printf or sed",
  dc: "use bc, or the shell's arithmetic",
  ed: "use sed",
  ex: "use sed",
  gnuplot: "write the plot's code itself",
  gdb: "write the command itself",
  socat: "write the addresses themselves",
  tmux: "write the command itself",
  screen: "write the command itself",
  pdsh: "use the action ssh.executeCommand, which passes values safely",
  pssh: "use the action ssh.executeCommand, which passes values safely",
  clush: "use the action ssh.executeCommand, which passes values safely",
  ansible: "use a playbook that looks the value up in the environment",
  salt: "write the command itself",
  entr: "write the command itself",
};

export interface Wrapper {
  /** Options whose value is the next word. */
  readonly valueOptions: readonly string[];
  /** Those of them that only name somebody. */
  readonly dataOptions?: readonly string[];
  /** How many words stand between the options and the command. */
  readonly operands?: number;
  /** They may be values. */
  readonly operandsAreData?: boolean;
}

/** These run the command that follows them. */
export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    valueOptions: ["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R"],
    dataOptions: ["-u", "-g", "-U", "-p"],
  },
  doas: { valueOptions: ["-u", "-C"], dataOptions: ["-u"] },
  env: { valueOptions: ["-u", "-C"] },
  nice: { valueOptions: ["-n"], dataOptions: ["-n"] },
  ionice: { valueOptions: ["-c", "-n"] },
  nohup: { valueOptions: [] },
  setsid: { valueOptions: [] },
  stdbuf: { valueOptions: ["-i", "-o", "-e"] },
  timeout: { valueOptions: ["-s", "-k"], dataOptions: ["-s", "-k"], operands: 1, operandsAreData: true },
  exec: { valueOptions: ["-a"] },
  command: { valueOptions: [] },
  builtin: { valueOptions: [] },
  time: { valueOptions: ["-f", "-o"] },
  chroot: { valueOptions: [], operands: 1 },
  chrt: { valueOptions: [], operands: 1 },
  taskset: { valueOptions: [], operands: 1 },
  nsenter: { valueOptions: ["-t"] },
  unshare: { valueOptions: [] },
  strace: { valueOptions: ["-e", "-o", "-p", "-s"] },
  xargs: { valueOptions: ["-I", "-n", "-P", "-L", "-d", "-a", "-s", "-E"] },
  "systemd-run": { valueOptions: ["-p", "-u", "-H", "-M", "-E"] },
  busybox: { valueOptions: [] },
  pkexec: { valueOptions: ["--user"] },
  gosu: { valueOptions: [], operands: 1 },
  "su-exec": { valueOptions: [], operands: 1 },
  setpriv: { valueOptions: [] },
  chpst: { valueOptions: ["-u", "-U", "-b", "-e", "-n", "-l", "-L"] },
  fakeroot: { valueOptions: [] },
  numactl: { valueOptions: ["-C", "-m", "-N"] },
  prlimit: { valueOptions: [] },
  unbuffer: { valueOptions: [] },
  cgexec: { valueOptions: ["-g"] },
  valgrind: { valueOptions: [] },
};

export interface Interpreter {
  /** An option whose next word is code. */
  readonly codeOption: RegExp;
  readonly valueOptions?: Readonly<Record<string, number>>;
  /** Options in one word, the last of which takes the next word: `-euo pipefail`. */
  readonly valueCluster?: RegExp;
  /** How many operands are code, or name it, when no option gave code. */
  readonly codeOperands: number;
  /** What follows the code is only data: the program reads no options there. */
  readonly optionsEnd: boolean;
  /** Looked for among the arguments of other commands, too: `docker exec web sh -c …`. */
  readonly nested: "always" | "withCodeOption" | "unknown";
}

/** What a variable names may be a shell: `$SHELL -c …`. Only that is refused. */
export const UNKNOWN_PROGRAM: Interpreter = {
  codeOption: /^(?:-[A-Za-z]*[ceE]|--(?:command|eval|execute|expression))$/u,
  codeOperands: 0,
  optionsEnd: false,
  nested: "unknown",
};

const SHELL = {
  codeOption: /^-[A-Za-z]*c[A-Za-z]*$/u,
  valueOptions: { "-o": 1, "+o": 1, "-O": 1, "--rcfile": 1, "--init-file": 1 },
  valueCluster: /^[-+][A-Za-z]*[oO]$/u,
  codeOperands: 1,
  optionsEnd: true,
  nested: "always",
} as const satisfies Interpreter;
const SCRIPTED = { codeOperands: 1, optionsEnd: true, nested: "withCodeOption" } as const;
const EDITS = { codeOperands: 1, optionsEnd: false, nested: "withCodeOption" } as const;
const LANGUAGE = {
  ...SCRIPTED,
  codeOption: /^(?:-[A-Za-z]*[eEx]|--?(?:eval|execute|evaluate|print|expression))$/u,
} as const;
const CLIENT = { codeOperands: 0, optionsEnd: false, nested: "withCodeOption" } as const;
const SQL_CLIENT = /^(?:-[A-Za-z]*[ceqQ]|--(?:command|execute|query|eval|statement))$/u;

const INTERPRETERS: readonly (readonly [RegExp, Interpreter])[] = [
  [/^(?:ba|da|a|z|k|mk|pdk|fi|rba|c|tc)?sh$/u, SHELL],
  [/^python[0-9.]*$|^pypy[0-9.]*$/u, { ...SCRIPTED, codeOption: /^-[A-Za-z]*c$/u, valueOptions: { "-W": 1, "-X": 1 } }],
  [/^(?:perl|ruby)[0-9.]*$/u, { ...SCRIPTED, codeOption: /^-[A-Za-z0-9]*[eE]$/u, valueOptions: { "-I": 1 } }],
  [
    /^(?:node|nodejs|bun|deno|lua|Rscript|osascript)$/u,
    { ...SCRIPTED, codeOption: /^(?:-[A-Za-z]*[ep]|--eval|--print)$/u },
  ],
  [/^(?:php|expect|tclsh)[0-9.]*$/u, { ...SCRIPTED, codeOption: /^-[A-Za-z]*[cr]$/u }],
  [
    /^(?:pwsh|powershell)(?:\.exe)?$/iu,
    { ...SCRIPTED, codeOption: /^-(?:c|e|en|enc|command|encodedcommand)[a-z]*$/iu },
  ],
  [/^[gmn]?awk$/u, { ...SCRIPTED, codeOption: /^-(?:f|e|i)$/u, valueOptions: { "-F": 1, "-v": 1 } }],
  [/^g?sed$/u, { ...EDITS, codeOption: /^(?:-[A-Za-z]*[ef]|--expression|--file)$/u, valueOptions: { "-l": 1 } }],
  [
    /^jq$/u,
    { ...EDITS, codeOption: /^(?:-f|--from-file)$/u, valueOptions: { "--arg": 2, "--argjson": 2, "--indent": 1 } },
  ],
  [
    /^psql$/u,
    { ...CLIENT, codeOption: SQL_CLIENT, valueOptions: { "-h": 1, "-p": 1, "-U": 1, "-d": 1, "-v": 1, "-o": 1 } },
  ],
  [/^(?:mysql|mariadb)$/u, { ...CLIENT, codeOption: SQL_CLIENT, valueOptions: { "-h": 1, "-P": 1, "-u": 1, "-D": 1 } }],
  [
    /^(?:clickhouse(?:-client)?|cqlsh|duckdb|influx|isql|mongo(?:sh)?|sqlcmd|trino|presto|beeline|hive|spark-sql|snowsql|bq)$/u,
    { ...CLIENT, codeOption: SQL_CLIENT },
  ],
  [/^(?:sqlplus|redis-cli)$/u, { ...CLIENT, codeOption: /^(?:-s|--?eval|eval|script)$/iu, codeOperands: 0 }],
  [
    /^(?:luajit|julia|octave|R|groovy|scala|elixir|erl|guile|sbcl|clisp|qjs|tsx|ts-node|raku|crystal|ghc|ocaml|wish)$/u,
    LANGUAGE,
  ],
  [/^(?:n?vim?|view|emacs)$/u, { ...CLIENT, codeOption: /^(?:-[cSe]|--(?:cmd|eval|command))$/u }],
  [/^yq$/u, { ...EDITS, codeOption: /^(?:-f|--from-file|--expression)$/u }],
  [/^(?:su|runuser|sg|script|flock)$/u, { ...CLIENT, codeOption: /^(?:-[A-Za-z]*c|--command|--session-command)$/u }],
];

/** These run what they read, whatever their arguments are. */
const READS_CODE =
  /^(?:sqlite3|l?ftp|sftp|rsh|ssh|mosh|at|batch|crontab|parallel|dc|ed|ex|m4|gnuplot|make|gmake|gdb)$/u;

/** The command e of sed, and the flag e of its s. */
const SED_RUNS = /(?:^|[;\n{}]\s*)(?:[0-9,$]*\s*)e(?:\s|$)|s([^A-Za-z0-9\s])(?:(?!\1).)*\1(?:(?!\1).)*\1[0-9gpiIMm]*e/u;

/** Whether a command, its words as far as they are known, runs what it reads from its input: `… | bash`. */
export function readsCode(words: readonly (string | null)[]): boolean {
  return words.some((word, index) => {
    const program = word?.split("/").at(-1) ?? null;
    if (program === null) return false;
    if (READS_CODE.test(program)) return true;
    if (/^g?sed$/u.test(program) && words.slice(index + 1).some((code) => SED_RUNS.test(code ?? ""))) return true;
    if (program === "xargs" && xargsRunsInput(words.slice(index + 1))) return true;
    if (program === "." || program === "source") return words.slice(index + 1).some(isInput);
    const interpreter = interpreterOf(program);
    if (interpreter === null) return false;
    const rest = words.slice(index + 1);
    if (rest.some((option) => option !== null && interpreter.codeOption.test(option))) return false;
    const operands = rest.filter((operand) => operand === null || !/^[-+]/u.test(operand));
    return interpreter.codeOperands === 0 || operands.length === 0 || rest.includes("-s") || rest.some(isInput);
  });
}

/** xargs puts what it reads behind its command, or in place of a text such as {}. */
function xargsRunsInput(words: readonly (string | null)[]): boolean {
  const option = words.findIndex((word) => /^(?:-[iIJ]|--replace)/u.test(word ?? ""));
  const replaces = option >= 0;
  const glued = words[option]?.replace(/^(?:-[iIJ]|--replace=?)/u, "") ?? "";
  const place = glued === "" ? (/^-[IJ]$/u.test(words[option] ?? "") ? words[option + 1] : "{}") : glued;
  const command = words.findIndex((word) => {
    const program = word?.split("/").at(-1) ?? "";
    return interpreterOf(program) !== null || Object.hasOwn(EVALUATING, program) || READS_CODE.test(program);
  });
  if (command < 0) {
    // Nothing but options and wrappers: what is read names the program.
    const operands = words.filter(
      (word, index) => word?.startsWith("-") !== true && !/^-[InPLdasEJ]$/u.test(words[index - 1] ?? ""),
    );
    const program = operands.find((word) => !Object.hasOwn(WRAPPERS, word?.split("/").at(-1) ?? ""));
    if (program === "find" || (program === undefined && operands.length > 0)) return true;
    return replaces && place != null && program?.includes(place) === true;
  }
  if (replaces) return true;
  const interpreter = interpreterOf(words[command]?.split("/").at(-1) ?? null);
  const code = words.findIndex(
    (word, index) => index > command && word !== null && interpreter?.codeOption.test(word) === true,
  );
  if (interpreter === null) return true;
  // sh -c 'code' _, and sh file: what is read stands behind the code.
  const operand = words.slice(command + 1).some((word) => word !== null && !/^[-+]/u.test(word));
  return code < 0 ? !(operand && interpreter.optionsEnd) : words[code + 1] == null;
}

function isInput(word: string | null): boolean {
  return word === "-" || word === "/dev/stdin" || /^\/(?:dev|proc\/self)\/fd\//u.test(word ?? "");
}

/** What is known of a program as an interpreter; null when it is none. */
export function interpreterOf(program: string | null): Interpreter | null {
  if (program === null) return null;
  return INTERPRETERS.find(([name]) => name.test(program))?.[1] ?? null;
}
