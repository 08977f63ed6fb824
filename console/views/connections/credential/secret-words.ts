import type { ConnectionType } from "../../../../schema/contract/connection.ts";

export interface SecretWords {
  label: string;
  help?: string;
  /** Of several lines, and often in a file. */
  isFile?: boolean;
  /** A user name: shown while it is typed, and not masked in results. */
  isName?: boolean;
}

const PASSWORD: SecretWords = { label: "Password" };
const TOKEN: SecretWords = { label: "Token" };

const WORDS: { readonly [T in ConnectionType]: Readonly<Record<string, SecretWords>> } = {
  ssh: {
    password: PASSWORD,
    privateKey: {
      label: "Private key",
      help: "Ed25519, RSA or ECDSA, in PEM, PKCS#8 or OpenSSH format; not PPK.",
      isFile: true,
    },
    passphrase: { label: "Passphrase of the key", help: "Only when the key is encrypted." },
  },
  http: {
    token: TOKEN,
    username: { label: "User", isName: true },
    password: PASSWORD,
    apiKey: { label: "API key" },
  },
  kubernetes: {
    kubeconfig: {
      label: "Kubeconfig",
      help: "What kubectl config view --raw --flatten --minify prints: it must carry everything itself.",
      isFile: true,
    },
    token: {
      label: "Service account's token",
      help: "For the cluster of the agent's kubeconfig, or the one that it runs in.",
    },
  },
  chat: { botToken: { label: "Bot token", help: "The Bot User OAuth Token of the Slack app. It begins with xoxb-." } },
  ticketing: { apiToken: { label: "API token", help: "Made at id.atlassian.com under Security, API tokens." } },
  email: {
    username: { label: "User", help: "Only when it is not the sender's address.", isName: true },
    password: PASSWORD,
  },
  teamchat: {
    webhookUrl: { label: "Webhook address", help: "Whole, with everything behind the question mark." },
  },
  database: { username: { label: "User", isName: true }, password: PASSWORD },
  winrm: {
    username: {
      label: "User",
      help: ".\\name for an account of the machine, DOMAIN\\name or name@domain for one of a domain.",
      isName: true,
    },
    password: PASSWORD,
  },
  script: {},
  osService: {},
  notification: {},
  custom: {},
};

export function secretWords(type: ConnectionType, name: string): SecretWords {
  return WORDS[type][name] ?? { label: name };
}
