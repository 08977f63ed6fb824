import type { ConnectConfig, ParsedKey, PublicKeyAuthMethod } from "ssh2";
import { describeKey, type Pins } from "./known-hosts.ts";

export interface SshTarget {
  host: string;
  port: number;
  username: string;
  /** Null: the first key that the host shows is trusted from then on. */
  pinned: Pins | null;
}

/** Null: no login, only the handshake. */
export type SshLogin = { password: string } | { privateKey: ParsedKey } | null;

/** Password logins fall back to keyboard-interactive, in which many servers ask for the same password. */
export function loginConfig(username: string, login: SshLogin): ConnectConfig {
  if (login === null) return { authHandler: ["none"] };
  if ("password" in login) return { ...login, tryKeyboard: true, authHandler: ["password", "keyboard-interactive"] };
  const byKey: PublicKeyAuthMethod = { type: "publickey", username, key: login.privateKey };
  return { authHandler: [byKey] };
}

export function loginName(login: SshLogin): string {
  if (login === null) return "nothing";
  if ("password" in login) return "password";
  // The key's name in the host's log and in ssh-keygen -lf.
  return `private key ${describeKey(login.privateKey.getPublicSSH()).fingerprint}`;
}
