/** A mail address, with the name that is shown for it. */
export interface Mailbox {
  readonly name: string | null;
  /** `local@domain`; the local part may hold any letters (RFC 6531), the domain as its owner writes it. */
  readonly address: string;
}

const LOCAL_MAX_CHARS = 64;
const ADDRESS_MAX_CHARS = 254;
/** RFC 5322's dot-atom with the letters of RFC 6532. What must be quoted is refused: such addresses hardly exist. */
const LOCAL = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const DOMAIN =
  /^(?:[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?)(?:\.[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?)*$/u;
const CONTROL = /\p{Cc}/u;

/** `ada@example.com` or `Ada Lovelace <ada@example.com>`; null when it is neither. */
export function parseMailbox(text: string): Mailbox | null {
  // A line break would begin another header.
  if (CONTROL.test(text)) return null;
  const named = /^(?<name>[^<>]*)<(?<address>[^<>]+)>$/u.exec(text.trim())?.groups;
  const address = (named?.["address"] ?? text).trim();
  if (!isAddress(address)) return null;
  const name = unquote((named?.["name"] ?? "").trim());
  return { name: name === "" ? null : name, address };
}

/** A list as people write it: separated by commas or semicolons, except within quotes. Empty members are left out. */
export function splitAddresses(text: string): string[] {
  const members = text.match(/(?:"(?:[^"\\]|\\.)*"|<[^>]*>|[^,;"])+/gu) ?? [];
  return members.map((member) => member.trim()).filter((member) => member !== "");
}

function isAddress(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  return (
    at > 0 &&
    text.length <= ADDRESS_MAX_CHARS &&
    local.length <= LOCAL_MAX_CHARS &&
    LOCAL.test(local) &&
    DOMAIN.test(domain)
  );
}

function unquote(name: string): string {
  return /^".*"$/u.test(name) ? name.slice(1, -1).replaceAll(/\\(.)/gu, "$1") : name;
}
