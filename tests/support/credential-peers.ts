import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { queryJob } from "./database-jobs.ts";
import type { TestJob } from "./executor-context.ts";
import { type HttpPeer, startHttpPeer } from "./http-peer.ts";
import { MAIL_PASSWORD, MAIL_USER, startMailServer } from "./mail-server.ts";
import { makeKey } from "./ssh-keys.ts";
import { Sshd, sshdMissing } from "./sshd.ts";
import { TdsServer } from "./tds-server.ts";
import { winrmJob } from "./winrm-jobs.ts";
import { WinrmServer, winrmServerMissing } from "./winrm-server.ts";

/** A peer that records credentials, and an action of a connection that leads to it. */
export interface CredentialPeer {
  action: string;
  job: TestJob & { config: JsonObject };
  /** How often the credential has arrived here. */
  arrivals: () => number | Promise<number>;
  stop: () => unknown;
}

interface PeerKind {
  missing: string | null;
  start: () => Promise<CredentialPeer>;
}

const SECRET = "tok-canary-4711";

/** A peer of every type whose credential an agent sends somewhere. */
export const CREDENTIAL_PEERS = {
  http: overHttp("http.request", (url) => ({
    config: { baseUrl: `${url}/api`, authType: "bearer" },
    secrets: { token: SECRET },
    params: { path: "x" },
  })),
  kubernetes: overHttp("kubernetes.deletePod", (url) => ({
    config: {},
    secrets: { kubeconfig: kubeconfig(url) },
    params: { pod: "web-0" },
  })),
  chat: overHttp("chat.sendMessage", (url) => ({
    config: { defaultChannel: "C0INCIDENTS" },
    secrets: { botToken: SECRET },
    params: { text: "hello" },
    slackApiUrl: url,
  })),
  ticketing: overHttp("ticketing.addComment", (url) => ({
    config: { serverUrl: url, email: "ops@shop.example" },
    secrets: { apiToken: SECRET },
    params: { issueKey: "OPS-1", body: "hello" },
  })),
  teamchat: overHttp("teamchat.sendMessage", (url) => ({
    config: {},
    secrets: { webhookUrl: `${url}/workflows?sig=${SECRET}` },
    params: { text: "hello" },
  })),
  ssh: {
    missing: sshdMissing,
    start: async () => {
      const [sshd, key] = await Promise.all([Sshd.start({ hostKeyTypes: ["ed25519"] }), makeKey()]);
      await sshd.authorize(key.publicKey);
      const { host, port, username } = sshd;
      return {
        action: "ssh.executeCommand",
        job: {
          config: { host, port, username, authMethod: "privateKey" },
          secrets: { privateKey: key.privateKey },
          params: { command: "true" },
        },
        arrivals: async () => (await sshd.log()).split("Accepted publickey").length - 1,
        stop: () => sshd.stop(),
      };
    },
  },
  email: {
    missing: null,
    start: async () => {
      const server = await startMailServer({ noStartTls: true });
      return {
        action: "email.sendEmail",
        job: {
          config: { smtpHost: "127.0.0.1", smtpPort: server.port, useTls: false, fromAddress: MAIL_USER },
          secrets: { username: MAIL_USER, password: MAIL_PASSWORD },
          params: { to: "ada@example.com", subject: "hello", text: "hello" },
        },
        arrivals: () => server.mails.filter(({ user }) => user === MAIL_USER).length,
        stop: server.stop,
      };
    },
  },
  database: {
    missing: null,
    start: async () => {
      const server = await TdsServer.start();
      const { config = {}, secrets = null, params = {} } = queryJob("sqlserver", server, { query: "SELECT 1" });
      return {
        action: "database.executeQuery",
        job: { config, secrets, params },
        arrivals: () => server.applications.length,
        stop: () => server.stop(),
      };
    },
  },
  winrm: {
    missing: winrmServerMissing,
    start: async () => {
      const server = await WinrmServer.start();
      const { config = {}, ...job } = winrmJob(server, { params: { script: "exit 0" } });
      return {
        action: "winrm.executeScript",
        job: { ...job, config },
        arrivals: async () => (await server.log()).filter(({ login }) => login !== undefined).length,
        stop: () => server.stop(),
      };
    },
  },
} as const satisfies Partial<Record<ConnectionType, PeerKind>>;

export type PeerType = keyof typeof CREDENTIAL_PEERS;

export function hasPeer(type: ConnectionType): type is PeerType {
  return type in CREDENTIAL_PEERS;
}

/** An action that sends its credential in a header or in the address of a request. */
function overHttp(
  action: string,
  jobOf: (url: string) => CredentialPeer["job"],
): { missing: null; start: (answer?: HttpPeer["answer"]) => Promise<CredentialPeer> } {
  const basic = Buffer.from(`ops@shop.example:${SECRET}`).toString("base64");
  return {
    missing: null,
    start: (answer = () => Response.json({ ok: true })) => {
      const { url, requests, stop } = startHttpPeer(answer);
      const arrivals = (): number =>
        requests.filter(({ path, headers }) => {
          const shown = `${path} ${headers.get("authorization")}`;
          return shown.includes(SECRET) || shown.includes(basic);
        }).length;
      return Promise.resolve({ action, job: jobOf(url), arrivals, stop });
    },
  };
}

function kubeconfig(server: string): string {
  return JSON.stringify({
    "current-context": "test",
    clusters: [{ name: "test", cluster: { server } }],
    users: [{ name: "test", user: { token: SECRET } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
  });
}
