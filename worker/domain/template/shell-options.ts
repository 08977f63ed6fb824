import { interpreterOf } from "./shell-programs.ts";
import type { Word } from "./shell-word.ts";

/** Options of programs whose value is run, and code that runs its arguments. As with programs, a table is never complete. */
const CODE_OPTION =
  "--?(?:command|eval|exec|execute|expression|rsh|rsync-path|to-command|use-compress-program|compress-program|checkpoint-action|" +
  "upload-pack|receive-pack|pager|sh-exec|lua-exec|init-command|ssh-command|scripts|shell-command|post-renderer|pre-invoke|post-invoke)";
const OPTION_WITH_CODE = new RegExp(
  `^(?:${CODE_OPTION}=|(?:-o)?(?:Proxy|Local|KnownHosts)Command=|(?:--parameters=)?commands=)`,
  "iu",
);
const NEXT_IS_CODE = new RegExp(`^${CODE_OPTION}$`, "u");

/** What else brings code to one program: as the word before it, or as its own beginning. */
const OF_PROGRAM: Readonly<Record<string, { readonly before?: RegExp; readonly own?: RegExp }>> = {
  tar: { before: /^-?[A-Za-z]*[IF]$|^--info-script$/u, own: /^-[IF]|^--info-script=/u },
  split: { before: /^--filter$/u, own: /^--filter=/u },
  zip: { before: /^(?:-TT|--unzip-command)$/u, own: /^-TT|^--unzip-command=/u },
  vagrant: { before: /^-c$/u },
  sg: { before: /^-c$/u },
  tcpdump: { before: /^-[A-Za-z]*z$/u },
  man: { before: /^-[A-Za-z]*P$/u, own: /^-P/u },
  nmap: { before: /^--script$/u, own: /^--script=/u },
  openssl: { before: /^-(?:engine|provider)$/u },
  "start-stop-daemon": { before: /^(?:-[xa]|--startas)$/u, own: /^--startas=/u },
  apt: { before: /^(?:-o|--option)$/u, own: /^(?:-o|--option=)/u },
  "apt-get": { before: /^(?:-o|--option)$/u, own: /^(?:-o|--option=)/u },
  aptitude: { before: /^-o$/u, own: /^-o/u },
  rsync: { before: /^-[A-Za-z]*e$/u, own: /^-e/u },
  scp: { before: /^-[A-Za-z]*[oS]$/u },
  sftp: { before: /^-[A-Za-z]*[oS]$/u },
  git: { own: /^(?:-c|--config-env=)/u },
};
const HARMLESS_SETTING = /^(?:user|author|committer|init|color|advice|safe|http)\./iu;

/** The arguments of a program that it would run or evaluate. */
export function codeArguments(program: string | null, args: readonly Word[]): readonly Word[] {
  const options = program !== null && Object.hasOwn(OF_PROGRAM, program) ? OF_PROGRAM[program] : undefined;
  const found = args.filter((word, index) => {
    const before = args[index - 1]?.literal ?? "";
    return (
      OPTION_WITH_CODE.test(word.prefix) ||
      NEXT_IS_CODE.test(before) ||
      options?.own?.test(word.prefix) === true ||
      options?.before?.test(before) === true
    );
  });
  return program === "git" ? [...found, ...codeOfGit(args)] : found;
}

function codeOfGit(args: readonly Word[]): readonly Word[] {
  const verb = args.findIndex(
    ({ literal }) => literal !== null && /^(?:bisect|clone|config|difftool|rebase|submodule)$/u.test(literal),
  );
  const name = args[verb]?.literal ?? "";
  return args.filter((word, index) => {
    const before = args[index - 1]?.literal ?? "";
    if (before === "-c") return !HARMLESS_SETTING.test(word.prefix);
    if (verb < 0 || index < verb) return false;
    if (name === "config") return !args.slice(verb, index + 1).some(({ prefix }) => HARMLESS_SETTING.test(prefix));
    if (name === "clone") return before === "-u";
    if (name === "rebase" || name === "difftool") return before === "-x";
    const runs = args.findIndex(({ literal }) => literal === (name === "bisect" ? "run" : "foreach"));
    return runs >= 0 && index > runs;
  });
}

const RUNS_ARGUMENTS =
  /\b(?:eval|exec\w*|system|popen\w*|spawn\w*|subprocess|getoutput|getline|Function|require|child_process)\b|`|\|/u;
const PERL_RUNS = /<>|<ARGV>|\bopen\b/u;
const AWK_RUNS = /\bsystem\b|(?<!\|)\|(?!\|)/u;
const AWK_TEXT = /"(?:[^"\\]|\\.)*"|(?<=(?:^|[~(,!&|{;\s])\s?)\/(?:[^/\\\n]|\\.)+\//gu;

/** What in the code of another language could run its arguments; null when nothing is seen. Such code is not read. */
export function whatRuns(program: string, code: string): string | null {
  if (program.endsWith("awk")) return AWK_RUNS.exec(code.replaceAll(AWK_TEXT, '""'))?.[0] ?? null;
  const runs = RUNS_ARGUMENTS.exec(code)?.[0];
  return runs ?? (/^(?:perl|ruby)/u.test(program) ? (PERL_RUNS.exec(code)?.[0] ?? null) : null);
}

/** The variables that code of another language reads from its environment. */
export function environmentOf(code: string): string[] {
  return [
    ...code.matchAll(/(?:ENVIRON|environ(?:\.get)?|getenv|ENV|env)\s*[[({.]\s*["']?([A-Za-z_][A-Za-z0-9_]*)/gu),
  ].map(([, name = ""]) => name);
}

/** perl and ruby open their arguments as files with -n and -p, and run those that begin or end with a bar. */
export function opensArguments(program: string, args: readonly Word[]): boolean {
  return (
    /^(?:perl|ruby)/u.test(program) &&
    args.some(({ literal }) => /^-[A-Za-z0-9]*[np][A-Za-z0-9]*$/u.test(literal ?? ""))
  );
}

/** Whether a program is a shell, whose code these rules read. */
export function isShell(program: string | null): boolean {
  return program !== null && interpreterOf(program) === interpreterOf("sh");
}
