import { Client, type ServerHostKeyAlgorithm } from "ssh2";
import { dial } from "../shared/dial.ts";
import { errorMessage, ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { closedMessage, explainError } from "./connect-failures.ts";
import { describeKey, type HostKeyOrigin, type KnownHostsFile } from "./known-hosts.ts";
import { loginConfig, loginName, type SshLogin, type SshTarget } from "./login.ts";

const CONNECT_TIMEOUT_MS = 15_000;
/** A lost peer is detected after four of these. */
const KEEPALIVE_INTERVAL_MS = 10_000;
const KEEPALIVE_MISSED_MAX = 3;
const CLOSE_WAIT_MS = 1_000;

/** The ciphers of Bun's crypto. ssh2 would also offer chacha20-poly1305, which then fails if a server prefers it. */
const CIPHERS = ["aes256-gcm@openssh.com", "aes128-gcm@openssh.com", "aes256-ctr", "aes192-ctr", "aes128-ctr"] as const;

/** The algorithms to request, by the type of the host key. */
const HOST_KEY_ALGORITHMS: Record<string, ServerHostKeyAlgorithm[]> = {
  "ssh-ed25519": ["ssh-ed25519"],
  "ecdsa-sha2-nistp256": ["ecdsa-sha2-nistp256"],
  "ecdsa-sha2-nistp384": ["ecdsa-sha2-nistp384"],
  "ecdsa-sha2-nistp521": ["ecdsa-sha2-nistp521"],
  "ssh-rsa": ["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"],
};

export type Stage = "TCP connection" | "SSH handshake" | "Authentication";

export interface ConnectOptions {
  knownHosts: KnownHostsFile;
  timeoutMs: number;
  signal: AbortSignal;
  /** Called after each stage. */
  passed?: (stage: Stage, detail: string) => void;
  /** The interval of keep-alive requests. */
  keepaliveIntervalMs?: number;
}

export interface SshConnection {
  client: Client;
  /** Resolves with the reason when the connection ends for any cause. */
  lost: Promise<string>;
  close(): void;
}

/**
 * Connects, checks the host's key and logs in, within 15 s or the job's time-out. Throws `unreachable`,
 * `host_key_changed`, `host_key_unknown`, `authentication_failed` or `job_ended`.
 */
export async function connectSsh(target: SshTarget, login: SshLogin, options: ConnectOptions): Promise<SshConnection> {
  const known = await options.knownHosts.keyTypeOf(target.host, target.port);
  // A connection may pin any of a host's keys. Only the host's answer shows the type of a fingerprint's key.
  const others = target.pinned === null ? [] : Object.keys(HOST_KEY_ALGORITHMS);
  let failure: unknown;
  for (const firstType of new Set([known ?? "ssh-ed25519", ...others])) {
    try {
      return await attempt(target, login, algorithmsFrom(firstType), options);
    } catch (error) {
      failure = error;
      if (!(error instanceof ExecutorFailure) || error.code !== "host_key_changed") break;
    }
  }
  throw failure;
}

function algorithmsFrom(firstType: string): ServerHostKeyAlgorithm[] {
  const first = HOST_KEY_ALGORITHMS[firstType] ?? [];
  return [...new Set([...first, ...Object.values(HOST_KEY_ALGORITHMS).flat()])];
}

async function attempt(
  target: SshTarget,
  login: SshLogin,
  serverHostKey: ServerHostKeyAlgorithm[],
  options: ConnectOptions,
): Promise<SshConnection> {
  const timeoutMs = Math.min(CONNECT_TIMEOUT_MS, options.timeoutMs);
  const where = `${target.host}:${target.port}`;
  const started = performance.now();
  const socket = await dial({ host: target.host, port: target.port, timeoutMs, signal: options.signal });
  options.passed?.("TCP connection", `Connected to ${where} in ${Math.round(performance.now() - started)} ms.`);

  const client = new Client();
  const { promise: ready, resolve, reject } = Promise.withResolvers<undefined>();
  const lost = Promise.withResolvers<string>();
  let refusedKey: unknown;
  let handshakeDone = false;
  let ended = false;
  // Not awaited when connect() throws.
  ready.catch(() => undefined);
  const onAbort = (): void => reject(jobEnded(`It was still connecting to ${where}.`));

  client.on("handshake", () => (handshakeDone = true));
  client.on("ready", () => resolve(undefined));
  client.on("end", () => (ended = true));
  client.on("error", (error) => {
    ended = true;
    lost.resolve(errorMessage(error));
    reject(refusedKey ?? explainError(error, { target, login, handshakeDone, timeoutMs }));
  });
  client.on("close", () => {
    ended = true;
    lost.resolve("the connection was closed");
    reject(refusedKey ?? new ExecutorFailure("unreachable", closedMessage(where, handshakeDone)));
  });
  client.on("change password", () => {
    const message = `The password of ${target.username} on ${where} has expired. Change it there, and deliver the new one.`;
    reject(new ExecutorFailure("authentication_failed", message));
  });
  const verifyHost = async (raw: Buffer): Promise<boolean> => {
    const key = describeKey(raw);
    try {
      const origin = await options.knownHosts.accept(target.host, target.port, key, target.pinned);
      options.passed?.("SSH handshake", `Host key ${key.fingerprint} (${key.keyType}): ${ORIGINS[origin]}.`);
      return true;
    } catch (error) {
      refusedKey = error;
      return false;
    }
  };
  if (login !== null && "password" in login) {
    client.on("keyboard-interactive", (_name, _instructions, _language, prompts, answer) => {
      answer(prompts.map(({ echo }) => (echo === true ? "" : login.password)));
    });
  }
  options.signal.addEventListener("abort", onAbort, { once: true });
  try {
    if (options.signal.aborted) onAbort();
    client.connect({
      sock: socket,
      username: target.username,
      ...loginConfig(target.username, login),
      readyTimeout: timeoutMs,
      keepaliveInterval: options.keepaliveIntervalMs ?? KEEPALIVE_INTERVAL_MS,
      keepaliveCountMax: KEEPALIVE_MISSED_MAX,
      algorithms: { cipher: [...CIPHERS], serverHostKey },
      hostVerifier: (raw: Buffer, verify: (accepted: boolean) => void) => {
        // ssh2 throws when it is answered after its end, and nothing could catch that error.
        void verifyHost(raw).then((accepted) => ended || verify(accepted));
      },
    });
    await ready;
  } catch (error) {
    ended = true;
    client.destroy();
    socket.destroy();
    throw error;
  } finally {
    options.signal.removeEventListener("abort", onAbort);
  }
  options.passed?.("Authentication", `Logged in as ${target.username} by ${loginName(login)}.`);
  const close = (): void => {
    client.end();
    setTimeout(() => socket.destroy(), CLOSE_WAIT_MS).unref();
  };
  return { client, lost: lost.promise, close };
}

const ORIGINS: Record<HostKeyOrigin, string> = {
  pinned: "it is the key that the connection pins",
  known: "it is the key that this agent knows",
  "first seen": "seen for the first time, and trusted from now on; compare it with the key of the host",
};
