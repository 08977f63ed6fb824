import { TEMPLATE_MARK, refused } from "./place.ts";
import type { Located, Place } from "./place.ts";

/**
 * cmd.exe replaces its variables before it reads a line, so no reference is safe in it, and a value has to stand in the
 * text itself. That is safe for values of plain characters only (`isPlainForCmd`), and only where they are arguments.
 */
const BARE = { type: "plain", quoted: false } as const satisfies Place;
const QUOTED = { type: "plain", quoted: true } as const satisfies Place;

/** Commands that read their arguments as commands, as arithmetic or as the names of variables. */
const EVALUATES =
  "cmd|powershell|pwsh|wmic|start|call|forfiles|schtasks|at|bash|sh|wsl|ssh|psexec|runas|mshta|cscript|wscript|rundll32|" +
  "regsvr32|msiexec|sqlcmd|osql|node|python[0-9.]*|py|perl|ruby|php|set\\s+\\/[ap]|sc\\s+(?:create|config)";
const EVALUATES_FIRST = new RegExp(`^[\\s@"]*(?:[^"\\s]*[\\\\/])?(?:${EVALUATES})(?:\\.exe)?(?=$|[\\s"/])`, "iu");
const EVALUATES_ANYWHERE = new RegExp(`(?:^|[\\s@"\\\\/])(?:for|${EVALUATES})(?:\\.exe)?(?=$|[\\s"/])`, "iu");
/** Behind these another command begins in the middle. */
const HOLDS_COMMAND = /^[\s@]*(?:if|else|for)(?=$|\s)/iu;

/** Where the templates of a command for cmd.exe stand: arguments, bare or between double quotes. */
export function locateInCmd(source: string): Located {
  return { places: source.split(/\r?\n/u).flatMap(placesInLine), inserts: [] };
}

/**
 * Whether cmd.exe and the programs it starts take the text as it is: ASCII letters, digits and `_ . : \ / @ + -`; between
 * quotes blanks as well, and nothing at all. Other letters are left out because Windows turns some of them into quotes
 * (its "best fit" code pages), and a backslash at the end because it would escape what follows.
 */
export function isPlainForCmd(value: string, quoted: boolean): boolean {
  return (
    quoted ? /^(?:[A-Za-z0-9_.:\\/@+ -]*[A-Za-z0-9_.:/@+ -])?$/u : /^[A-Za-z0-9_.:\\/@+-]*[A-Za-z0-9_.:/@+-]$/u
  ).test(value);
}

function placesInLine(line: string): Place[] {
  const count = line.split(TEMPLATE_MARK).length - 1;
  if (count === 0) return [];
  if (/^\s*@?\s*(?:rem(?=\s)|::)/iu.test(line)) return Array.from({ length: count }, () => ({ type: "comment" }));
  const places: Place[] = [];
  let quoted = false;
  let percents = 0;
  /** Where the present command began, and whether its first word, which names the program, is still being read. */
  let start = 0;
  let inProgram = true;
  let begun = false;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? "";
    if (char === TEMPLATE_MARK) {
      places.push(placeOf(line, at, { quoted, inProgram, inName: percents % 2 === 1, command: line.slice(start, at) }));
      begun = true;
    } else if (char === '"') {
      quoted = !quoted;
      begun = true;
    } else if (char === "%") percents += 1;
    else if (!quoted && /[&|()]/u.test(char)) [start, inProgram, begun] = [at + 1, true, false];
    else if (!quoted && /[\s,;=]/u.test(char)) inProgram &&= !begun;
    else begun = true;
  }
  return places;
}

interface Around {
  readonly quoted: boolean;
  readonly inProgram: boolean;
  readonly inName: boolean;
  /** What stands before it in its command. */
  readonly command: string;
}

function placeOf(line: string, at: number, { quoted, inProgram, inName, command }: Around): Place {
  const useScript = "use winrm.executeScript, whose PowerShell takes templates safely";
  if (inProgram) {
    return refused(
      "here it would name the program that runs: write the command itself, and use the template for its arguments",
    );
  }
  if (inName || line[at - 1] === "!" || line[at + 1] === "!")
    return refused(`between percent signs it would name a variable: write the name itself, or ${useScript}`);
  const evaluates = (HOLDS_COMMAND.test(command) ? EVALUATES_ANYWHERE : EVALUATES_FIRST).exec(command)?.[0].trim();
  if (evaluates !== undefined) return refused(`${evaluates} would read the value once more: ${useScript}`);
  if (/['`^]/u.test(line))
    return refused(`a line with ', \` or ^ is not followed here: leave them out, or ${useScript}`);
  return quoted ? QUOTED : BARE;
}
