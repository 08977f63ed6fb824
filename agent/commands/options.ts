import { parseArgs } from "node:util";
import { CommandRefused } from "../credentials/refused.ts";
import { EXIT } from "../exit-codes.ts";

/** What a command takes: a `flag` has no value, a `value` is given once, a `list` any number of times. */
export type OptionKinds = Readonly<Record<string, "flag" | "value" | "list">>;

export interface Options {
  has(name: string): boolean;
  /** Null when the option was not given. */
  value(name: string): string | null;
  list(name: string): string[];
}

/**
 * Reads a command's options. Throws CommandRefused (`usage`) for anything else. The message repeats only words that
 * begin with a dash: any other word may be a secret in the wrong place.
 */
export function parseOptions(command: string, args: readonly string[], kinds: OptionKinds): Options {
  const refuse = (problem: string) =>
    new CommandRefused(EXIT.usage, `${command}: ${problem}\nTry bellhop-agent ${command} --help.`);
  const options = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      { type: kind === "flag" ? ("boolean" as const) : ("string" as const) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === "positional") throw refuse("takes options only, but another argument was given");
    if (token.kind !== "option") continue;
    const kind = Object.hasOwn(kinds, token.name) ? kinds[token.name] : undefined;
    if (kind === undefined) throw refuse(`there is no option ${token.rawName}`);
    if (kind === "flag" && token.value !== undefined) throw refuse(`${token.rawName} takes no value`);
    if (kind !== "flag" && (token.value ?? "") === "") throw refuse(`${token.rawName} needs a value`);
    const values = given.get(token.name) ?? [];
    if (kind === "value" && values.length > 0) throw refuse(`${token.rawName} was given twice`);
    given.set(token.name, [...values, token.value ?? ""]);
  }
  return {
    has: (name) => given.has(name),
    value: (name) => given.get(name)?.[0] ?? null,
    list: (name) => given.get(name) ?? [],
  };
}

export function asksForHelp(args: readonly string[]): boolean {
  return args.includes("--help") || args.includes("-h") || args[0] === "help";
}
