import type { JsonObject } from "../../schema/contract/json.ts";
import type { TestJob } from "./executor-context.ts";
import { type HttpPeer, startHttpPeer } from "./http-peer.ts";

/** A peer that records credentials, and an action of a connection to it. */
export interface CredentialPeer {
  action: string;
  job: TestJob & { config: JsonObject };
  /** How often the credential has arrived at this peer. */
  arrivals: () => number | Promise<number>;
  stop: () => unknown;
}

export interface CredentialPeerKind {
  readonly missing: string | null;
  readonly start: () => Promise<CredentialPeer>;
  /** For an HTTP peer: starts it with this answer. */
  readonly startAnswering?: (answer: HttpPeer["answer"]) => Promise<CredentialPeer>;
}

export const SECRET = "tok-canary-4711";

/** An action that sends its credential in a header or in the URL of a request. */
export function overHttp(action: string, jobOf: (url: string) => CredentialPeer["job"]): CredentialPeerKind {
  const basic = Buffer.from(`ops@shop.example:${SECRET}`).toString("base64");
  const startAnswering = (answer: HttpPeer["answer"]): Promise<CredentialPeer> => {
    const { url, requests, stop } = startHttpPeer(answer);
    const arrivals = (): number =>
      requests.filter(({ path, headers }) => {
        const shown = `${path} ${headers.get("authorization")}`;
        return shown.includes(SECRET) || shown.includes(basic);
      }).length;
    return Promise.resolve({ action, job: jobOf(url), arrivals, stop });
  };
  return { missing: null, start: () => startAnswering(() => Response.json({ ok: true })), startAnswering };
}
