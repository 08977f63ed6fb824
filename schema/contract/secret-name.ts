/** Words in which the name of a secret ends, also in the plural or with a number: `API_KEY_2`, `dbPassword`, `tokens`. */
const SECRET_WORD =
  /(?:passw(?:or)?d|passphrase|secret|token|credential|(?:private|api|secret|secret[^A-Za-z0-9]?access)[^A-Za-z0-9]?key)s?[^A-Za-z0-9]?\d*$/iu;
/** `DB_PASS`, `dbPass`; other words end in it, too: `bypass`. */
const PASS = /(?:^|[^A-Za-z])(?:pass|PASS|Pass)$|[a-z0-9]Pass$/u;

/** Ends a sentence that begins with a field's name. */
export const LOOKS_LIKE_SECRET =
  "looks like a secret: deliver it as the connection's credential, not in its configuration";

/** Whether a configuration's field of this name would hold a secret. `tokenUrl` and `passwordPolicy` would not. */
export function isSecretName(name: string): boolean {
  return SECRET_WORD.test(name) || PASS.test(name);
}
