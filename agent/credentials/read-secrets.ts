import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { connectionTypeSchema } from "../../schema/contract/connection.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { secretsSchema } from "../../schema/contract/credential.ts";
import type { Secrets } from "../../schema/contract/credential.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { problemWithKeyFormat, problemWithSecrets, secretShapes } from "../../schema/contract/secret-shapes.ts";
import type { NamedSecret, SecretShape } from "../../schema/contract/secret-shapes.ts";
import { EXIT } from "../exit-codes.ts";
import type { SetCommand } from "./arguments.ts";
import { CommandRefused } from "./refused.ts";
import type { Echo } from "./terminal.ts";

/** Secrets too long to type: the prompt also accepts the path of a file. */
const KEPT_IN_FILES = new Set(["privateKey", "kubeconfig"]);

/** The limit of the admin API, in which a text has at most 1 MiB. */
const INPUT_MAX_BYTES = Math.floor(1.1 * 1_024 * 1_024);

/** The source of secrets. Tests provide their own. */
export interface SecretSources {
  /** A person is at a terminal. */
  isInteractive: boolean;
  ask(question: string, options: { echo: Echo }): Promise<string>;
  /** Standard input. May stop after INPUT_MAX_BYTES, as `readCapped` does. */
  readInput(): Promise<Uint8Array>;
}

/**
 * Reads the secrets of one credential and checks them as far as their rules are known. Throws CommandRefused: `usage`,
 * or `badInput`. No message contains anything that was read.
 */
export async function readSecrets(command: SetCommand, sources: SecretSources): Promise<Secrets> {
  const { files, names, target } = command;
  let { type } = command;
  const secrets = new Map<string, string>();
  for (const { name, path } of files) {
    secrets.set(name, path === "-" ? textOf(await sources.readInput(), name) : await textOfFile(path, name));
  }
  if (sources.isInteractive) {
    for (const name of names) secrets.set(name, await askFor(name, sources));
    if (secrets.size === 0) {
      const [entry = {}] = target ?? [];
      type ??= connectionTypeSchema.safeParse(entry["type"]).data ?? (await askForType(sources));
      for (const [name, value] of await askForShape(type, entry, sources)) secrets.set(name, value);
    }
  } else if (names.length > 0) {
    const [name = ""] = names;
    if (names.length > 1 || files.some(({ path }) => path === "-")) {
      throw new CommandRefused(
        EXIT.usage,
        'standard input can be one secret only: for several, pipe JSON such as {"username": "…", "password": "…"} and leave --name out',
      );
    }
    secrets.set(name, textOf(await sources.readInput(), name));
  } else if (files.length === 0) {
    return checked(jsonOf(textOf(await sources.readInput(), "the JSON")), type);
  }
  return checked(Object.fromEntries(secrets), type);
}

function checked(value: unknown, type: ConnectionType | null): Secrets {
  const secrets = secretsSchema.safeParse(value);
  if (!secrets.success) {
    throw new CommandRefused(
      EXIT.badInput,
      'a credential is 1 to 100 names with a text each, such as {"password": "…"}; each text has at most 1 MiB',
    );
  }
  const empty = Object.keys(secrets.data).find((name) => secrets.data[name] === "");
  if (empty !== undefined)
    throw new CommandRefused(EXIT.badInput, `${JSON.stringify(empty)} is empty. Give it a value`);
  const problem =
    type === null ? problemWithKeyFormat(secrets.data) : problemWithSecrets(type, secrets.data, { showNames: true });
  if (problem !== null) throw new CommandRefused(EXIT.badInput, problem);
  return secrets.data;
}

async function askForType({ ask }: SecretSources): Promise<ConnectionType> {
  const known = connectionTypeSchema.options.filter((type) => secretShapes(type)?.length !== 0);
  const answer = (await ask(`Type of the connection (${known.join(", ")}): `, { echo: known })).trim();
  const type = connectionTypeSchema.safeParse(answer);
  if (type.success) return type.data;
  throw new CommandRefused(EXIT.usage, `the type is one of ${known.join(", ")}`);
}

async function askForShape(
  type: ConnectionType,
  entry: JsonObject,
  sources: SecretSources,
): Promise<[string, string][]> {
  const shapes = secretShapes(type, entry);
  if (shapes?.length === 0)
    throw new CommandRefused(EXIT.usage, `a connection of type ${type} has no credential. There is nothing to set`);
  const fields = shapes === null ? await askForNames(sources) : await chooseFields(shapes, sources);
  const secrets: [string, string][] = [];
  for (const { name, required } of fields) {
    const value = await askFor(name, sources, required ? "" : "if there is one; ");
    if (required || value !== "") secrets.push([name, value]);
  }
  return secrets;
}

async function askForNames({ ask }: SecretSources): Promise<Pick<NamedSecret, "name" | "required">[]> {
  const answer = await ask("Names of the secrets, with spaces between them: ", { echo: true });
  const names = answer.split(/\s+/u).filter((name) => name !== "");
  return names.map((name) => ({ name, required: true }));
}

async function chooseFields(shapes: readonly SecretShape[], { ask }: SecretSources): Promise<SecretShape["fields"]> {
  const choices = shapes.map(({ fields }) => fields.filter(({ required }) => required).map(({ name }) => name));
  if (choices.length === 1) return shapes[0]?.fields ?? [];
  const offered = choices.map((names, index) => `${index + 1} ${names.join(" and ")}`).join(", ");
  const answers = choices.map(([first = ""], index) => [String(index + 1), first]);
  const answer = (await ask(`Which? ${offered}: `, { echo: answers.flat() })).trim();
  const shape = shapes[answers.findIndex((words) => words.includes(answer))];
  if (shape !== undefined) return shape.fields;
  throw new CommandRefused(
    EXIT.usage,
    `the answer is a number from 1 to ${shapes.length}. Run the command again with one of them`,
  );
}

async function askFor(name: string, { ask }: SecretSources, remark = ""): Promise<string> {
  const isKept = KEPT_IN_FILES.has(name);
  const question = `${name} (${isKept ? "its file, or paste it whole; " : remark}nothing is shown): `;
  const answer = withoutLineBreak(await ask(question, { echo: false }));
  if (!isKept) return answer;
  return answer.includes("\n") ? answer : textOfFile(answer.trim().replace(/^~(?=\/)/u, homedir()), name);
}

async function textOfFile(path: string, name: string): Promise<string> {
  let bytes: Uint8Array | null;
  try {
    bytes = await bytesOfFile(path);
  } catch (error) {
    // A person may have typed the secret instead of a path: an error that names the path would show it.
    const code = error instanceof Error && "code" in error ? String(error.code) : "no file";
    throw new CommandRefused(
      EXIT.badInput,
      `the file for ${name} cannot be read (${code}). Run the command again with a readable file`,
    );
  }
  if (bytes === null)
    throw new CommandRefused(
      EXIT.badInput,
      `the path given for ${name} is neither a file nor a pipe. Run the command again with one of them`,
    );
  return textOf(bytes, name);
}

/** Null for anything but a file or a pipe, such as an endless device. */
async function bytesOfFile(path: string): Promise<Uint8Array | null> {
  const file = await open(path, "r");
  try {
    const kind = await file.stat();
    return kind.isFile() || kind.isFIFO() ? await readCapped(file.createReadStream({ autoClose: false })) : null;
  } finally {
    await file.close();
  }
}

/** Reads to the end, or to the first byte above the limit. */
export async function readCapped(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const taken: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    taken.push(chunk);
    length += chunk.length;
    if (length > INPUT_MAX_BYTES) break;
  }
  return Buffer.concat(taken);
}

function textOf(bytes: Uint8Array, name: string): string {
  if (bytes.length > INPUT_MAX_BYTES)
    throw new CommandRefused(EXIT.badInput, `${name} is too long: a text has at most 1 MiB`);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new CommandRefused(EXIT.badInput, `${name} is not text: a key has to be in PEM format`);
  }
  return withoutLineBreak(text);
}

/** A single line loses the line break that editors add. A key of several lines keeps it. */
function withoutLineBreak(text: string): string {
  return /^[^\n]*\n$/u.test(text) ? text.replace(/\r?\n$/u, "") : text;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandRefused(
      EXIT.badInput,
      'standard input is not JSON: send {"password": "…"}, or say which secret it is: --name password',
    );
  }
}
