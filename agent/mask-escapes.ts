const NON_ASCII = /[^ -~]/gu;
// oxlint-disable-next-line no-control-regex -- these are what programs escape
const CONTROL = /[\u0000-\u001F\u007F]/gu;
/** `printf %q` of bash puts a backslash before these. What it escapes only at the beginning adds nothing to a form. */
const QUOTED_BY_BASH = /[\s"'\\$`!&|;<>()[\]{}*?^,]|(?<=[:=])~/gu;
const ANSI_C: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\u001B": "\\E",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** A text unchanged, and as programs that scripts use write it: JSON, URLs, forms, XML, bash, sh and Python. */
export function* writtenForms(value: string): Iterable<string> {
  yield value;
  for (const json of jsonForms(value)) {
    yield json;
    // JSON text is often a string inside other JSON.
    yield escapedForJson(json);
  }
  yield* urlForms(value);
  yield escapedForXml(value);
  yield* shellForms(value);
  yield* pythonForms(value);
}

function jsonForms(value: string): string[] {
  const json = escapedForJson(value);
  if (json.search(NON_ASCII) < 0) return [json];
  // Many encoders write ASCII only, with lower-case or upper-case digits.
  const ascii = (digits: (code: string) => string): string =>
    json.replaceAll(NON_ASCII, (character) =>
      unitsOf(character)
        .map((unit) => `\\u${digits(unit.toString(16).padStart(4, "0"))}`)
        .join(""),
    );
  return [json, ascii((code) => code), ascii((code) => code.toUpperCase())];
}

function escapedForJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function* urlForms(value: string): Iterable<string> {
  // A lone surrogate cannot be encoded. toWellFormed replaces it, as encoders do.
  const wellFormed = value.toWellFormed();
  const lax = encodeURIComponent(wellFormed);
  const strict = lax.replaceAll(/[!'()*]/gu, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  for (const form of [lax, strict]) {
    yield form;
    yield form.replaceAll("%20", "+");
  }
  // Python's quote() does not encode the slash.
  yield strict.replaceAll("%2F", "/");
  yield new URLSearchParams([["", wellFormed]]).toString().slice(1);
}

function escapedForXml(value: string): string {
  return value
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** `bash -x`, `declare -p` and `export -p`, `printf %q`, and the single quotes of dash. */
function* shellForms(value: string): Iterable<string> {
  yield value.replaceAll("'", "'\\''");
  yield value.replaceAll("'", `'"'"'`);
  yield value.replaceAll(/["\\$`]/gu, "\\$&");
  yield value.replaceAll(QUOTED_BY_BASH, "\\$&");
  // $'…' of bash: characters outside ASCII stay unescaped when the locale knows them.
  const ansi = value
    .replaceAll(/['\\]/gu, "\\$&")
    .replaceAll(CONTROL, (control) => ANSI_C[control] ?? bytesAs(control, "\\", 8, 3));
  yield ansi;
  yield ansi.replaceAll(NON_ASCII, (character) => bytesAs(character, "\\", 8, 3));
}

/** `repr` of text and of bytes. Python escapes single quotes only in text that has double quotes, too. */
function* pythonForms(value: string): Iterable<string> {
  for (const quotes of [value.replaceAll("\\", "\\\\"), value.replaceAll(/['\\]/gu, "\\$&")]) {
    const text = quotes.replaceAll(CONTROL, (control) =>
      /[\n\r\t]/u.test(control) ? escapedForJson(control) : bytesAs(control, "\\x", 16, 2),
    );
    yield text;
    yield text.replaceAll(NON_ASCII, (character) => bytesAs(character, "\\x", 16, 2));
  }
}

function bytesAs(character: string, prefix: string, radix: number, digits: number): string {
  return [...Buffer.from(character)].map((byte) => prefix + byte.toString(radix).padStart(digits, "0")).join("");
}

function unitsOf(character: string): number[] {
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
}
