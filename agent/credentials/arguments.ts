import { parseArgs } from "node:util";
import type { z } from "zod";
import { connectionTypeSchema } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { writtenTargetSchema } from "../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import { opaqueIdSchema } from "../../schema/contract/ids.ts";
import { nearestValue } from "../../schema/contract/nearest-value.ts";
import { EXIT } from "../exit-codes.ts";
import { parseJson } from "../vault/header.ts";
import { CommandRefused } from "./refused.ts";

export interface SetCommand {
  verb: "set";
  connectionId: string;
  type: ConnectionType | null;
  /** Names whose values a person is asked for, or the name of the secret on standard input. */
  names: string[];
  /** A path of `-` is standard input. */
  files: { name: string; path: string }[];
  /** Null: the target that a job asked for is offered. */
  target: CredentialTarget | null;
  /** Accepts the offered target without a question. */
  agrees: boolean;
}

export type BindCommand = { verb: "bind" } & Pick<SetCommand, "connectionId" | "target" | "agrees">;

export type CredentialsCommand =
  | SetCommand
  | BindCommand
  | { verb: "list"; json: boolean }
  | { verb: "delete"; connectionId: string }
  | { verb: "help" };

const TARGET_EXAMPLE =
  'It is written as credentials list --json shows it: \'[{"type":"ssh","host":"web1","port":22,"username":"ada","authMethod":"password"}]\'';

/** The options of each verb. All but the flags take a value. */
const OPTIONS = {
  set: ["type", "name", "from-file", "target", "yes"],
  bind: ["target", "yes"],
  list: ["json"],
  delete: [],
} as const;
const VERBS = [...Object.keys(OPTIONS), "help"];
const FLAGS = new Set(["json", "yes"]);

/**
 * Reads the words after `credentials`. Throws CommandRefused (`usage`). The message never repeats a word that may be a
 * secret: only words that begin with a dash, up to an equals sign, and a misspelt verb.
 */
export function parseCredentialsCommand(args: readonly string[]): CredentialsCommand {
  const [verb, ...rest] = args;
  if (verb === "--help" || verb === "-h" || verb === "help" || rest.includes("--help") || rest.includes("-h")) {
    return { verb: "help" };
  }
  if (verb !== "set" && verb !== "bind" && verb !== "list" && verb !== "delete") {
    const meant = nearestValue(VERBS, verb);
    if (meant !== null) throw usage(`unknown command: credentials ${verb}. Did you mean ${meant}?`);
    throw usage("say what to do: set, bind, list or delete");
  }
  const { words, options } = split(verb, rest);
  if (verb === "list") {
    if (words.length > 0) throw usage("list takes no connection: it shows all of them");
    return { verb, json: options.some(({ name }) => name === "json") };
  }
  const connectionId = oneConnection(verb, words);
  if (verb === "delete") return { verb, connectionId };
  const valuesOf = (name: string) => options.filter((option) => option.name === name).map(({ value }) => value);
  const target = targetIn(valuesOf("target"));
  const agrees = valuesOf("yes").length > 0;
  if (verb === "bind") return { verb, connectionId, target, agrees };
  const names = valuesOf("name");
  const files = valuesOf("from-file").map(fileOf);
  const all = [...names, ...files.map(({ name }) => name)];
  if (names.some((name) => name === "" || name.includes("="))) {
    throw usage("--name takes only the name of a secret: its value is asked for, or read from standard input");
  }
  if (new Set(all).size < all.length) throw usage("a name was given twice");
  if (files.filter(({ path }) => path === "-").length > 1)
    throw usage("standard input can be one secret only: give the others by files");
  return { verb, connectionId, type: typeOf(valuesOf("type")), names, files, target, agrees };
}

function split(verb: keyof typeof OPTIONS, args: readonly string[]) {
  const known: readonly string[] = OPTIONS[verb];
  const options = Object.fromEntries(
    known.map((name) => [name, { type: FLAGS.has(name) ? ("boolean" as const) : ("string" as const) }]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const words: string[] = [];
  const given: { name: string; value: string }[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    if (!known.includes(token.name)) throw usage(`${verb} does not know ${token.rawName}`);
    if (FLAGS.has(token.name) !== (token.value === undefined)) throw usage(misused(token.rawName, token.value));
    given.push({ name: token.name, value: token.value ?? "" });
  }
  return { words, options: given };
}

function misused(option: string, value: string | undefined): string {
  return value === undefined ? `${option} needs a value` : `${option} takes no value`;
}

function oneConnection(verb: string, words: readonly string[]): string {
  const [connectionId, ...more] = words;
  if (connectionId === undefined) throw usage(`${verb} needs a connection's id (con_…), as the service shows it`);
  if (more.length > 0) {
    throw usage(
      "too many arguments. A secret is never given on the command line, where others could " +
        "see it: use --name password to be asked for it, or --from-file privateKey=path",
    );
  }
  if (opaqueIdSchema.safeParse(connectionId).success) return connectionId;
  throw usage("a connection's id has 1 to 64 letters, digits, - and _, as the service shows it");
}

function fileOf(value: string): { name: string; path: string } {
  const equals = value.indexOf("=");
  if (equals > 0 && equals < value.length - 1) return { name: value.slice(0, equals), path: value.slice(equals + 1) };
  throw usage("--from-file needs a name and a path, such as --from-file privateKey=/home/ada/.ssh/id_ed25519");
}

function typeOf(values: readonly string[]): ConnectionType | null {
  const [value] = values;
  if (value === undefined) return null;
  const type = connectionTypeSchema.safeParse(value);
  if (values.length === 1 && type.success) return type.data;
  throw usage(`--type is one of ${connectionTypeSchema.options.join(", ")}`);
}

/** The form of `credentials list --json` and of a job's error. */
function targetIn(values: readonly string[]): CredentialTarget | null {
  const [text] = values;
  if (text === undefined) return null;
  if (values.length > 1) throw usage("--target was given twice");
  const value = parseJson(text);
  if (!Array.isArray(value)) throw usage(`--target is not a JSON list. ${TARGET_EXAMPLE}`);
  const target = writtenTargetSchema.safeParse(value);
  if (target.success) return target.data;
  const problems = target.error.issues.map((issue) => `\n  ${problemInTarget(issue)}`);
  throw usage(`--target does not fit. ${TARGET_EXAMPLE}${problems.join("")}`);
}

function problemInTarget({ path: [entry, ...fields], message }: z.core.$ZodIssue): string {
  const field = fields.map(String).join(".") || (entry === undefined ? "the list" : `entry ${Number(entry) + 1}`);
  return `${field} ${message}`;
}

function usage(message: string): CommandRefused {
  return new CommandRefused(EXIT.usage, `${message}\nTry bellhop-agent credentials --help.`);
}
