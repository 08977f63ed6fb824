/** Words at the end of a secret's name, also in the plural or with a number: `API_KEY_2`, `dbPassword`, `tokens`. */
const SECRET_WORD =
  /(?:passw(?:or)?d|passphrase|secret|token|credential|(?:private|api|signing|encryption|secret|secret[^A-Za-z0-9]?access)[^A-Za-z0-9]?key)s?[^A-Za-z0-9]?\d*$/iu;
/** `DB_PASS`, `dbPass`, `DB_PWD`; not `bypass`, which ends in the same letters. */
const PASS = /(?:^|[^A-Za-z])(?:pass|PASS|Pass|pwd|PWD|Pwd)$|[a-z0-9](?:Pass|Pwd)$/u;
/** `maxTokens`, `NUM_TOKENS`: a count. */
const COUNT = /^(?:max|min|num)(?:[A-Z]|_)|^(?:MAX|MIN|NUM)_/u;

/** Ends a sentence that begins with a field's name. */
export const LOOKS_LIKE_SECRET =
  "looks like a secret: deliver it as the connection's credential, not in its configuration";

/** Whether a configuration field of this name would hold a secret. `tokenUrl` and `passwordPolicy` would not. */
export function isSecretName(name: string): boolean {
  return (SECRET_WORD.test(name) || PASS.test(name)) && !COUNT.test(name);
}
