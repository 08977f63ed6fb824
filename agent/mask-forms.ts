import type { Secrets } from "../schema/contract/credential.ts";
import { isMaskable, isUserName } from "../schema/contract/masking.ts";
import { writtenForms } from "./mask-escapes.ts";
import { secretsOfKubeconfig } from "./mask-kubeconfig.ts";

/** Shorter lines of a long secret reveal nothing and occur in ordinary text. */
const LINE_MIN_CHARS = 8;
const ARMOUR = /^-----(BEGIN|END) [A-Z0-9 ]+-----$/u;
/** `client-key-data: LS0t…`, `token: abc`: the value after a name in a line of a kubeconfig or a properties file. */
const NAMED_VALUE = /(?:pass(?:word|phrase)?|token|secret|key|data)"?\s*[:=]\s*["']?([^"'\s]{8,})/giu;

/**
 * Every text that reveals one of these secrets (ARCHITECTURE.md#invariants): the values and their encoded forms. User
 * names, and values too short to be masked, have no forms.
 */
export function formsOfSecrets(secrets: Secrets): string[] {
  const { username, password, kubeconfig } = secrets;
  const inside = kubeconfig === undefined ? [] : secretsOfKubeconfig(kubeconfig);
  const values = Object.entries(secrets).flatMap(([name, value]) => {
    if (isUserName(name)) return [];
    // The rest of a kubeconfig, such as `apiVersion: v1`, occurs in every output of kubectl.
    return name === "kubeconfig" && inside.length > 0 ? [...inside, ...namedValues(value)] : [value];
  });
  const whole = kubeconfig !== undefined && inside.length > 0 ? [...wholeForms(kubeconfig)] : [];
  return [...whole, ...loginForms(username, password), ...values.flatMap((value) => [...formsOf(value)])];
}

/** User and password as HTTP Basic authentication encodes them, which would reveal even a short password. */
function loginForms(username = "", password = ""): Iterable<string> {
  return username === "" || password.trim() === "" ? [] : wholeForms(`${username}:${password}`);
}

/** The forms of one secret: unchanged, trimmed, escaped as programs do, in base64 and hexadecimal, and line by line. */
export function formsOf(secret: string): Set<string> {
  const forms = wholeForms(secret);
  for (const line of linesOf(secret)) {
    for (const form of writtenForms(line)) forms.add(form);
  }
  return forms;
}

function wholeForms(secret: string): Set<string> {
  const forms = new Set<string>();
  if (!isMaskable(secret)) return forms;
  for (const value of new Set([secret, secret.trim(), secret.replaceAll("\r\n", "\n")])) {
    for (const form of writtenForms(value)) forms.add(form);
  }
  for (const value of [secret, secret.trim()]) {
    for (const form of base64Forms(value)) forms.add(form);
    const hex = Buffer.from(value).toString("hex");
    forms.add(hex).add(hex.toUpperCase());
  }
  return forms;
}

function linesOf(secret: string): string[] {
  const lines = secret.split(/[\r\n]+/u).map((line) => line.trim());
  // A kubeconfig may be JSON on one line.
  if (lines.length < 2) return secret.startsWith("{") ? namedValues(secret) : [];
  return lines.flatMap((line) =>
    line.length < LINE_MIN_CHARS || ARMOUR.test(line) ? [] : [line, ...namedValues(line)],
  );
}

function namedValues(text: string): string[] {
  return [...text.matchAll(NAMED_VALUE)].flatMap(([, value]) => (value === undefined ? [] : [value]));
}

/**
 * Base64 of the value at any offset inside a longer encoded text. The value's bytes can be aligned to base64's groups
 * of three bytes in three ways; each form has the characters that depend only on the value.
 */
function* base64Forms(value: string): Iterable<string> {
  const bytes = Buffer.from(value);
  for (let shift = 0; shift < 3; shift++) {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replaceAll("=", "");
    const first = Math.ceil((shift * 8) / 6);
    const last = Math.floor(((shift + bytes.length) * 8) / 6);
    const form = encoded.slice(first, last);
    yield form;
    yield form.replaceAll("+", "-").replaceAll("/", "_");
    if (shift === 0) yield* wrapped(form);
  }
}

/** Wrapped as `openssl base64` (64) and `base64` (76) do, for an encoded text that begins with the secret. */
function* wrapped(form: string): Iterable<string> {
  for (const width of [64, 76]) {
    if (form.length <= width) continue;
    const lines = form.match(new RegExp(`.{1,${width}}`, "gu")) ?? [];
    yield lines.join("\n");
    yield lines.join("\r\n");
  }
}
