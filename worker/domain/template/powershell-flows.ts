import { TEMPLATE_MARK } from "./place.ts";

const MAX_ROUNDS = 20;

export interface PowershellFlow {
  /** A variable or a file. */
  readonly into: string;
  /** Where it is run, counted from 1. */
  readonly line: number;
}

const ASSIGNED =
  /\$(?:\{?)(?:(?:script|global|local|private|env):)?([A-Za-z_][A-Za-z0-9_]*)\}?(?:\[[^\]]*\]|\.[A-Za-z0-9_]+)*\s*[-+*]?=(?!=)|foreach\s*\(\s*\$([A-Za-z_][A-Za-z0-9_]*)\s+in\b/giu;
const USED = /[$@]\{?(?:(?:script|global|local|private|env|using):)?([A-Za-z_][A-Za-z0-9_]*)/giu;
/** `& $x` and `. $x` run what a variable names, `$x.Invoke()` what it holds, `.$x()` a method by its name. */
const CALLED =
  /(?:^|[\s;{(|=])[&.]\s*["(]*\s*\$\{?(?:\w+:)?([A-Za-z_]\w*)|\$\{?([A-Za-z_]\w*)\}?\.invoke|[\])\w]\.\$\{?([A-Za-z_]\w*)/giu;

/** These write files; what they write may be run later. */
const WRITES =
  /\b(?:set-content|add-content|out-file|tee-object|tee|sc|ac|new-item|ni|export-\w+|write-?all\w+|append-?all\w+|streamwriter)\b|>/iu;
/** In a block behind these a value is `$_`. */
const EACH = /\||\bswitch\b|\.(?:foreach|where)\s*[({]/iu;
const EACH_NAMES = ["_", "psitem", "input"];
const FUNCTION = /\bfunction\s+([\w-]+)/giu;
const PARAMETERS = /(?:\bfunction\s+[\w-]+\s*|\bparam\s*)\(([^)]*)\)/giu;
/** A command by its file: behind & or . any word, elsewhere at its beginning one with a dot or a slash. */
const RUNS_FILE = /(?:^|[\s;{(|=])[&.]\s*["'(]*([^\s"';|(){}]+)|(?:^|[;{|=&])\s*([^\s"';|(){}]*[.\\/][^\s"';|(){}]+)/gu;
const WORDS = /([^\s"'`,;|(){}<>=]+)/gu;

/**
 * Follows values by the names of variables, line by line: `$x = {{v}}` and, somewhere, `& $x` or `cmd /c "dir $x"`, and by
 * the names of files: `Set-Content a.ps1 {{v}}` and `. ./a.ps1`. Neither order nor scope counts. `interpreter` finds a
 * program that reads its arguments as code. Null when no value gets there.
 */
export function findFlow(source: string, interpreter: RegExp): PowershellFlow | null {
  const lines = source.split("\n");
  const statements = statementsOf(lines);
  const tainted = taintedNames(statements);
  const files = writtenFiles(statements, tainted);
  if (tainted.size === 0 && files.size === 0) return null;
  for (const [index, line] of lines.entries()) {
    const interprets = interpreter.test(line);
    const variable = namesIn(line, interprets ? USED : CALLED).find((name) => tainted.has(name));
    if (variable !== undefined) return { into: `$${variable}`, line: index + 1 };
    const file = namesIn(line, interprets ? WORDS : RUNS_FILE)
      .map(baseName)
      .find((name) => files.has(name));
    if (file !== undefined) return { into: file, line: index + 1 };
  }
  return null;
}

/** The words of statements that write a value into a file: one of them is the file's name. */
function writtenFiles(statements: readonly string[], tainted: ReadonlySet<string>): Set<string> {
  const written = statements.filter((line) => WRITES.test(line) && carries(line, namesIn(line, USED), tainted));
  const words = written.flatMap((line) => namesIn(line, WORDS).map(baseName));
  return new Set(words.filter((word) => /^[^$-].*[^:]$/u.test(word) && !WRITES.test(word)));
}

function carries(line: string, from: readonly string[], tainted: ReadonlySet<string>): boolean {
  return line.includes(TEMPLATE_MARK) || from.some((name) => tainted.has(name));
}

function baseName(path: string): string {
  return path.split(/[\\/]/u).at(-1) ?? path;
}

/** Lines joined as far as brackets, here-strings and the ends of lines show that they belong together. */
function statementsOf(lines: readonly string[]): string[] {
  const statements: string[][] = [];
  /** For each open bracket, whether a value stands in it: blocks hold statements of their own. */
  const open: boolean[] = [];
  let openValues = 0;
  let hereString: string | null = null;
  let joined = false;
  for (const line of lines) {
    if (joined) statements.at(-1)?.push(line);
    else statements.push([line]);
    if (hereString === null) {
      hereString = /@["']\s*$/u.test(line) ? `${line.trimEnd().at(-1) ?? ""}@` : null;
      for (let at = 0; at < line.length; at += 1) {
        if ("({".includes(line[at] ?? "x")) {
          open.push(line[at] === "(" || line[at - 1] === "@");
          openValues += open.at(-1) === true ? 1 : 0;
        } else if (")}".includes(line[at] ?? "x")) openValues -= open.pop() === true ? 1 : 0;
      }
    } else if (line.startsWith(hereString)) hereString = null;
    joined = hereString !== null || openValues > 0 || /[|,`+=]\s*$/u.test(line);
  }
  return statements.map((statement) => statement.join("\n"));
}

function taintedNames(statements: readonly string[]): Set<string> {
  const tainted = new Set<string>();
  const source = statements.join("\n");
  const functions = namesIn(source, FUNCTION);
  const parameters = [...namesIn(source, PARAMETERS).flatMap((list) => namesIn(list, USED)), "args"];
  const assignments = statements.map((line) => {
    const from = namesIn(line, USED);
    const assigned = namesIn(line, ASSIGNED);
    const to = [...assigned];
    // A file that a variable names is as good as the variable.
    if (WRITES.test(line)) to.push(...from);
    if (EACH.test(line)) to.push(...EACH_NAMES);
    if (functions.some((name) => line.toLowerCase().includes(name))) to.push(...parameters);
    return { line, to, from: from.filter((name) => !assigned.includes(name)) };
  });
  let before = -1;
  for (let round = 0; tainted.size > before; round += 1) {
    before = tainted.size;
    // Who hands a value on that often could take any name.
    if (round > MAX_ROUNDS) return new Set(assignments.flatMap(({ to }) => to));
    for (const { line, to, from } of assignments) {
      if (carries(line, from, tainted)) {
        for (const name of to) tainted.add(name);
      }
    }
  }
  return tainted;
}

function namesIn(line: string, pattern: RegExp): string[] {
  return [...line.matchAll(pattern)]
    .flatMap((match) => match.slice(1).filter((name) => name !== undefined))
    .map((name) => name.toLowerCase());
}
