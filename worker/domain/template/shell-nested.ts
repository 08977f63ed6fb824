import { interpreterOf } from "./shell-programs.ts";
import { isAssignment, programOf } from "./shell-word.ts";
import type { Word } from "./shell-word.ts";

export interface NestedScript {
  readonly code: string;
  /** What the code finds as its arguments. */
  readonly args: readonly Word[];
}

/** These give the code to a shell. */
const STARTS_SHELL = /^(?:su|runuser|sg|script|flock)$/u;

/** The shell code that a command carries as plain text: `sh -c 'code' name argument`, `eval 'code'`, `trap 'code' EXIT`. */
export function nestedScripts(words: readonly Word[]): NestedScript[] {
  const found: NestedScript[] = [];
  words.forEach((word, index) => {
    const program = programOf(word);
    const isShell = /^(?:ba|da|a|z|k|mk)?sh$/u.test(program ?? "");
    const interpreter = isShell || STARTS_SHELL.test(program ?? "") ? interpreterOf(program) : null;
    if (interpreter === null) return;
    const rest = words.slice(index + 1);
    const option = rest.findIndex(({ literal }) => literal !== null && interpreter.codeOption.test(literal));
    const code = rest.findIndex(
      ({ raw }, at) =>
        at > option && !/^[-+]/u.test(raw) && interpreter.valueCluster?.test(rest[at - 1]?.raw ?? "") !== true,
    );
    const text = rest[code]?.literal;
    if (option >= 0 && text != null) found.push({ code: text, args: isShell ? rest.slice(code + 1) : [] });
  });
  const [program, ...args] = words.filter((word) => !isAssignment(word));
  if (program?.literal === "trap" && args[0]?.literal != null) found.push({ code: args[0].literal, args: [] });
  if (program?.literal === "eval" && args.length > 0 && args.every(({ literal }) => literal !== null)) {
    found.push({ code: args.map(({ literal }) => literal).join(" "), args: [] });
  }
  return found;
}
