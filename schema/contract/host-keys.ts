import { z } from "zod";
import { CONNECTION_HOST_KEYS_MAX, CONNECTION_HOST_KEYS_MAX_BYTES, CONNECTION_HOST_KEY_MAX_CHARS } from "../limits.ts";
import { hostIn, refuseRepeated, writtenText } from "./target-list.ts";
import type { Place, Written } from "./target-list.ts";

const SSH_PORT = 22;
const FINGERPRINT = /^(SHA256:[A-Za-z0-9+/]{43})=?$/u;

/** Keys of hosts in their normal form, so that nothing is kept, sealed and sent to agents that says no more. */
export const hostKeysSchema = z
  .array(
    z
      .string()
      .max(CONNECTION_HOST_KEY_MAX_CHARS, { abort: true })
      .refine((text) => hostKeyIn(text) !== null, {
        error:
          "must be a host and its key's fingerprint, such as web-1.example.org SHA256:…, or a line of ssh-keygen -lf with the host's name",
      })
      .overwrite(normalHostKey),
  )
  .min(1)
  .max(CONNECTION_HOST_KEYS_MAX)
  .superRefine(refuseRepeated)
  .superRefine(refuseTooMany);

/** A host's key: where it is, and its fingerprint without padding. */
export interface HostKey {
  readonly host: string;
  /** Null when it names none. */
  readonly port: number | null;
  readonly fingerprint: string;
}

/**
 * Reads `web-1.example.org SHA256:…`, and the line that `ssh-keygen -lf` prints for a file of known hosts:
 * `256 SHA256:… web-1.example.org (ED25519)`, there with `[web-1.example.org]:2222` for another port than 22.
 */
export function hostKeyIn(text: string): HostKey | null {
  const words = text.trim().split(/[ \t]+/u);
  const isLine = words.length === 4 && /^[0-9]{3,5}$/u.test(words[0] ?? "") && /^\([A-Z0-9-]+\)$/u.test(words[3] ?? "");
  if (!isLine && words.length !== 2) return null;
  const [host = "", key = ""] = isLine ? [words[2], words[1]] : words;
  const fingerprint = FINGERPRINT.exec(key)?.[1];
  const written = isLine ? knownHostIn(host) : hostIn(host);
  return fingerprint === undefined || written === null ? null : { ...written, fingerprint };
}

/** A host as OpenSSH has it in a file of known hosts: in brackets only with a port. */
function knownHostIn(text: string): Written | null {
  const written = hostIn(`[${text}]`) ?? hostIn(text.replace(/^\[([^:\]]+)\](?=:)/u, "$1"));
  return written === null ? null : { ...written, port: written.port ?? SSH_PORT };
}

/** `web-1.example.org SHA256:…`, with the port that it names. Returns a text in another form unchanged. */
function normalHostKey(text: string): string {
  const key = hostKeyIn(text);
  return key === null ? text : `${writtenText(key)} ${key.fingerprint}`;
}

/** The fingerprints that a host may show. */
export function hostKeysOf(hostKeys: readonly string[], place: Place, defaultPort: number): string[] {
  return hostKeys.flatMap((text) => {
    const key = hostKeyIn(text);
    return key !== null && key.host === place.host && (key.port ?? defaultPort) === place.port ? [key.fingerprint] : [];
  });
}

/** Former lists are kept, too, and a database on Cloudflare takes only so much in one row. */
function refuseTooMany(texts: readonly string[], context: z.RefinementCtx): void {
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  if (bytes <= CONNECTION_HOST_KEYS_MAX_BYTES) return;
  const message = `has ${bytes} bytes, and at most ${CONNECTION_HOST_KEYS_MAX_BYTES} are allowed: use a second connection for some of the hosts`;
  context.addIssue({ code: "custom", message });
}
