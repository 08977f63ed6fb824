import type { ConnectionConfig, ConnectionType } from "../../../../schema/contract/connection.ts";

export interface FieldWords {
  label: string;
  /** One line below the label. */
  help?: string;
  placeholder?: string;
  /** What a choice's values mean; those that are not here stand for themselves. */
  choices?: Readonly<Record<string, { label: string; help?: string }>>;
  /** Where the contract has no default: what a new connection begins with. */
  start?: string | number | boolean;
}

type WordsOf<T extends ConnectionType> = { readonly [K in keyof Required<ConnectionConfig<T>>]: FieldWords };

const TLS = {
  verify: { label: "Verify", help: "Encrypted, and the server's certificate and name are checked." },
  require: { label: "Require", help: "Encrypted, but nothing proves who answers." },
  off: { label: "Off", help: "Nothing is encrypted: everything can be read on the way." },
};

/** Every field of every type's configuration in words: one that is missing here does not compile. */
export const FIELD_WORDS: { readonly [T in ConnectionType]: WordsOf<T> } = {
  ssh: {
    host: { label: "Host", help: "Host name or IP address, as the agent reaches it.", placeholder: "web-1.internal" },
    port: { label: "Port" },
    username: { label: "User", help: "The account to log in as.", placeholder: "deploy" },
    authMethod: {
      label: "Logs in with",
      start: "privateKey",
      choices: { password: { label: "A password" }, privateKey: { label: "A private key" } },
    },
    hostKeyFingerprint: {
      label: "Host key fingerprint",
      help: "The only host key that is accepted, as ssh-keygen -lf prints it. Without it the agent trusts the first key that it sees.",
      placeholder: "SHA256:…",
    },
  },
  http: {
    baseUrl: {
      label: "Base address",
      help: "Requests go below it. Without user and password.",
      placeholder: "https://api.example.com/v2",
    },
    authType: {
      label: "Logs in with",
      start: "none",
      choices: {
        none: { label: "Nothing" },
        basic: { label: "User and password", help: "HTTP Basic." },
        bearer: { label: "A bearer token" },
        apiKey: { label: "An API key in a header" },
      },
    },
    apiKeyHeader: { label: "Header of the key" },
    timeoutSeconds: { label: "Time limit of a request, in seconds" },
    verifySsl: {
      label: "Check the certificate",
      help: "Without this nothing proves who answers.",
    },
  },
  kubernetes: {
    context: { label: "Context", help: "The context of the kubeconfig to use; without it, its current one." },
    namespace: { label: "Namespace", help: "For actions that name none." },
    kubeconfigPath: {
      label: "Kubeconfig on the agent's host",
      help: "A whole path there, or ~/…, when the kubeconfig is not delivered as the credential.",
      placeholder: "~/.kube/config",
    },
  },
  chat: {
    defaultChannel: {
      label: "Default channel",
      help: "The channel's id, at the end of its details in Slack. It starts with C; it is not the name.",
      placeholder: "C024BE91L",
    },
  },
  ticketing: {
    serverUrl: { label: "Jira site", placeholder: "https://acme.atlassian.net" },
    email: { label: "Email address of the account", help: "Of the account that the API token belongs to." },
  },
  email: {
    smtpHost: {
      label: "Mail server",
      help: "Host name or IP address; with encryption, the name in its certificate.",
      placeholder: "smtp.example.com",
    },
    smtpPort: {
      label: "Port",
      help: "587 for submission, 465 when encrypted from the start, 25 for relays.",
      start: 587,
    },
    useTls: {
      label: "Encrypt (TLS)",
      help: "Port 465 from the start, any other by STARTTLS. Without it a password is sent to the agent's own machine only.",
      start: true,
    },
    fromAddress: { label: "Sender's address", help: "Also the login's user, unless the credential names another." },
  },
  teamchat: {
    webhookUrl: {
      label: "Webhook address",
      help: "Whoever has it can post, so it is delivered sealed, as the credential, and not kept in the service.",
    },
  },
  database: {
    driver: {
      label: "Kind",
      start: "postgres",
      choices: {
        postgres: { label: "PostgreSQL" },
        mysql: { label: "MySQL or MariaDB" },
        sqlserver: { label: "SQL Server" },
        sqlite: { label: "SQLite" },
      },
    },
    host: { label: "Server", help: "Host name or IP address, as the agent reaches it.", placeholder: "db-1.internal" },
    port: { label: "Port", help: "Without it, the driver's usual one." },
    database: { label: "Database", help: "Its name; for SQLite the absolute path of a file on the agent's host." },
    tls: { label: "Encryption", choices: TLS },
  },
  winrm: {
    host: {
      label: "Host",
      help: "As the agent reaches it; with HTTPS, the name in the host's certificate.",
      placeholder: "win-1.internal",
    },
    port: { label: "Port", help: "5986 for HTTPS, 5985 for HTTP.", start: 5986 },
    useSsl: { label: "Speak HTTPS", start: true },
    authMethod: {
      label: "Logs in by",
      start: "ntlm",
      choices: {
        basic: { label: "Basic", help: "Accounts of the machine only. Use it with HTTPS." },
        ntlm: { label: "NTLM", help: "Accounts of the machine and of a domain." },
        kerberos: { label: "Kerberos", help: "Can be saved, but agents do not speak it yet: actions fail." },
      },
    },
  },
  script: {},
  osService: {},
  notification: {},
  custom: {
    fields: {
      label: "Fields",
      help: "Scripts find them as environment variables. Secrets do not belong here: they are delivered after saving.",
    },
  },
};

/** The words of a field of which only the name is known. */
export function wordsOf(type: ConnectionType, name: string): FieldWords {
  const words: Readonly<Record<string, FieldWords>> = FIELD_WORDS[type];
  return words[name] ?? { label: name };
}
