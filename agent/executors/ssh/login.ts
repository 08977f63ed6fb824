import type { ConnectConfig, ParsedKey, PublicKeyAuthMethod } from "ssh2";
import { describeKey } from "./known-hosts.ts";

export interface SshTarget {
  host: string;
  port: number;
  username: string;
  hostKeyFingerprint?: string | undefined;
}

/** Null logs in as nobody: it goes no further than the handshake. */
export type SshLogin = { password: string } | { privateKey: ParsedKey } | null;

/** Password logins fall back to keyboard-interactive, where many servers ask for the same password. */
export function loginConfig(username: string, login: SshLogin): ConnectConfig {
  if (login === null) return { authHandler: ["none"] };
  if ("password" in login) return { ...login, tryKeyboard: true, authHandler: ["password", "keyboard-interactive"] };
  const byKey: PublicKeyAuthMethod = { type: "publickey", username, key: login.privateKey };
  return { authHandler: [byKey] };
}

export function loginName(login: SshLogin): string {
  if (login === null) return "nothing";
  if ("password" in login) return "password";
  // What the host's log and ssh-keygen -lf call the key.
  return `private key ${describeKey(login.privateKey.getPublicSSH()).fingerprint}`;
}
