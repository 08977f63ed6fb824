import { steersPrograms } from "../../../schema/contract/variable-name.ts";

/** Variables that programs expect to mean something else. */
const USUAL =
  /^(?:HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|TERM|TZ|TMPDIR|TMP|TEMP|PWD|MAIL|EDITOR|PAGER|HOST|HOSTNAME|OS|LINES|COLUMNS|SECONDS|RANDOM|REPLY|DISPLAY|ENV|LC_\w+|\w+_PROXY)$/u;

/** A name for the variable that carries the value of a path: `webhook.title` gives TITLE, unless that is taken. */
export function variableFor(path: readonly string[], isTaken: (name: string) => boolean): string {
  const whole = nameOf(path.join("_"));
  const base = /^[A-Z]/u.test(whole) ? whole : `V_${whole}`;
  const names = [nameOf(path.at(-1) ?? ""), base];
  for (let number = 2; ; number += 1) {
    const free = names.find(
      (name) => /^[A-Z]/u.test(name) && !steersPrograms(name, true) && !USUAL.test(name) && !isTaken(name),
    );
    if (free !== undefined) return free;
    names.push(`${base}_${number}`);
  }
}

function nameOf(text: string): string {
  return text
    .toUpperCase()
    .replaceAll(/[^A-Z0-9_]/gu, "_")
    .slice(-60);
}
