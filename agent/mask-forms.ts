import type { Secrets } from "../schema/contract/credential.ts";
import { isMaskable, isUserName } from "../schema/contract/masking.ts";
import { writtenForms } from "./mask-escapes.ts";
import { secretsOfKubeconfig } from "./mask-kubeconfig.ts";

/** Lines of a longer secret that are shorter than this say nothing and stand in every text. */
const LINE_MIN_CHARS = 8;
const ARMOUR = /^-----(BEGIN|END) [A-Z0-9 ]+-----$/u;
/** `client-key-data: LS0t…`, `token: abc`: what a line of a kubeconfig or a properties file hides behind a name. */
const NAMED_VALUE = /(?:pass(?:word|phrase)?|token|secret|key|data)"?\s*[:=]\s*["']?([^"'\s]{8,})/giu;

/**
 * Every text that gives away one of these secrets (ARCHITECTURE.md#invariants): the values and the forms they travel in. A
 * user name has no forms, and neither has a value that is too short to be masked.
 */
export function formsOfSecrets(secrets: Secrets): string[] {
  const { username, password, kubeconfig } = secrets;
  const inside = kubeconfig === undefined ? [] : secretsOfKubeconfig(kubeconfig);
  const values = Object.entries(secrets).flatMap(([name, value]) => {
    if (isUserName(name)) return [];
    // What else stands in a kubeconfig, such as `apiVersion: v1`, stands in every output of kubectl, too.
    return name === "kubeconfig" && inside.length > 0 ? [...inside, ...namedValues(value)] : [value];
  });
  const whole = kubeconfig !== undefined && inside.length > 0 ? [...wholeForms(kubeconfig)] : [];
  return [...whole, ...loginForms(username, password), ...values.flatMap((value) => [...formsOf(value)])];
}

/** User and password together, as HTTP Basic authentication encodes them: this gives away a short password, too. */
function loginForms(username = "", password = ""): Iterable<string> {
  return username === "" || password.trim() === "" ? [] : wholeForms(`${username}:${password}`);
}

/** The forms of one secret: as it is, trimmed, escaped as programs do, in base64 and hexadecimal, and its lines. */
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
 * Base64 of the value wherever it stands inside an encoded text: of the three ways its bytes can fall into groups of
 * three, the characters that depend on the value alone.
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

/** In lines as `openssl base64` (64) and `base64` (76) write them, when the encoded text begins with the secret. */
function* wrapped(form: string): Iterable<string> {
  for (const width of [64, 76]) {
    if (form.length <= width) continue;
    const lines = form.match(new RegExp(`.{1,${width}}`, "gu")) ?? [];
    yield lines.join("\n");
    yield lines.join("\r\n");
  }
}
