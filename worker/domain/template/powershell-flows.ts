import { TEMPLATE_MARK } from "./place.ts";

const MAX_ROUNDS = 20;

export interface PowershellFlow {
  readonly variable: string;
  /** Where it is run, counted from 1. */
  readonly line: number;
}

const ASSIGNED =
  /\$(?:\{?)(?:(?:script|global|local|private|env):)?([A-Za-z_][A-Za-z0-9_]*)\}?(?:\[[^\]]*\]|\.[A-Za-z0-9_]+)*\s*[-+*]?=(?!=)|foreach\s*\(\s*\$([A-Za-z_][A-Za-z0-9_]*)\s+in\b/giu;
const USED = /[$@]\{?(?:(?:script|global|local|private|env|using):)?([A-Za-z_][A-Za-z0-9_]*)/giu;
/** `& $x` and `. $x` run what a variable names, `$x.Invoke()` what it holds, `.$x()` a method by its name. */
const CALLED =
  /(?:^|[\s;{(|=])[&.]\s*["(]*\s*\$\{?(?:\w+:)?([A-Za-z_]\w*)|\$\{?([A-Za-z_]\w*)\}?\.invoke|[\])\w]\.\$\{?([A-Za-z_]\w*)/giu;

/**
 * Follows values by the names of variables, line by line: `$x = {{v}}` and, somewhere, `& $x` or `cmd /c "dir $x"`. Neither
 * order nor scope counts. `interpreter` finds a program that reads its arguments as code. Null when no value gets there.
 */
export function findFlow(source: string, interpreter: RegExp): PowershellFlow | null {
  const lines = source.split("\n");
  const tainted = taintedNames(statementsOf(lines));
  if (tainted.size === 0) return null;
  for (const [index, line] of lines.entries()) {
    const names = interpreter.test(line) ? namesIn(line, USED) : namesIn(line, CALLED);
    const variable = names.find((name) => tainted.has(name));
    if (variable !== undefined) return { variable: `$${variable}`, line: index + 1 };
  }
  return null;
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
  const assignments = statements.map((line) => ({ line, to: namesIn(line, ASSIGNED), from: namesIn(line, USED) }));
  let before = -1;
  for (let round = 0; tainted.size > before; round += 1) {
    before = tainted.size;
    // Who hands a value on that often could take any name.
    if (round > MAX_ROUNDS) return new Set(assignments.flatMap(({ to }) => to));
    for (const { line, to, from } of assignments) {
      if (line.includes(TEMPLATE_MARK) || from.some((name) => tainted.has(name) && !to.includes(name))) {
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
