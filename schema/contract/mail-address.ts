/** Available in the service, the agent and browsers. */
declare const URL: { canParse(text: string): boolean; new (text: string): { readonly hostname: string } };

/** A mail address with its display name. */
export interface Mailbox {
  readonly name: string | null;
  /** The domain is in its DNS form; the local part may have any letters (RFC 6531). */
  readonly address: string;
}

const LOCAL_MAX_CHARS = 64;
const ADDRESS_MAX_CHARS = 254;
/**
 * RFC 5322, 3.2.3, with the letters of RFC 6532. Without quotes and blanks, so that an address cannot end an SMTP
 * command.
 */
const ATOM = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

/**
 * Parses `ada@example.com` or `Ada Lovelace <ada@example.com>`; null for any other text, such as a group or a route.
 */
export function parseMailbox(text: string): Mailbox | null {
  // A line break would begin another header.
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) return null;
  const named = /^([^<>]*)<([^<>]+)>$/u.exec(text.trim());
  const address = readAddress((named?.[2] ?? text).trim());
  if (address === null) return null;
  const name = unquoted((named?.[1] ?? "").trim());
  return { name: name === "" ? null : name, address };
}

/** Splits a person's list at commas or semicolons, except within quotes. Empty members are left out. */
export function splitAddresses(text: string): string[] {
  const members: string[] = [];
  let member = "";
  let inQuotes = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (inQuotes && character === "\\") {
      member += character + text.charAt(at + 1);
      at += 1;
      continue;
    }
    if (character === '"') inQuotes = !inQuotes;
    if (!inQuotes && (character === "," || character === ";")) {
      members.push(member);
      member = "";
    } else {
      member += character;
    }
  }
  return [...members, member].map((one) => one.trim()).filter((one) => one !== "");
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

function readAddress(text: string): string | null {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(0, at));
  const domain = asciiDomain(text.slice(at + 1));
  if (domain === null || local.length > LOCAL_MAX_CHARS) return null;
  if (!local.split(".").every((atom) => ATOM.test(atom))) return null;
  const address = `${local}@${domain}`;
  return address.length <= ADDRESS_MAX_CHARS ? address : null;
}

/** IDNA: `köln.example` becomes `xn--kln-sna.example`, which every server knows. An IP address is not a domain. */
function asciiDomain(domain: string): string | null {
  if (!/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) || !URL.canParse(`https://${domain}`)) return null;
  const { hostname } = new URL(`https://${domain}`);
  const labels = hostname.split(".");
  return labels.every((label) => LABEL.test(label)) && !/^\d+$/u.test(labels.at(-1) ?? "") ? hostname : null;
}

function unquoted(name: string): string {
  return /^".*"$/u.test(name) ? name.slice(1, -1).replaceAll(/\\(.)/gu, "$1") : name;
}
