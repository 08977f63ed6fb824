import { canonicalTarget } from "./credential-target.ts";
import type { CredentialTarget } from "./credential-target.ts";
import type { JsonValue } from "./json.ts";

/** One field of a target, for the person who confirms it. */
export interface TargetLine {
  label: string;
  value: string;
}

/** As they stand in a sentence. */
const LABELS: Readonly<Record<string, string>> = {
  host: "host",
  port: "port",
  username: "user name",
  authMethod: "authentication",
  hostKeyFingerprint: "host key",
  baseUrl: "address",
  authType: "authentication",
  apiKeyHeader: "header of the API key",
  verifySsl: "TLS verification",
  context: "context",
  kubeconfigPath: "kubeconfig on the agent",
  driver: "kind of database",
  database: "database",
  tls: "encryption",
  useSsl: "HTTPS",
  smtpHost: "mail server",
  smtpPort: "port",
  useTls: "TLS",
  serverUrl: "Jira site",
  email: "account",
  workflows: "list of workflows",
};

const VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  authMethod: { password: "password", privateKey: "private key", basic: "Basic", ntlm: "NTLM", kerberos: "Kerberos" },
  authType: { none: "none", basic: "user and password", bearer: "bearer token", apiKey: "API key" },
  driver: { postgres: "PostgreSQL", mysql: "MySQL or MariaDB", sqlserver: "SQL Server", sqlite: "SQLite" },
  verifySsl: { true: "on", false: "OFF: any server can answer" },
  tls: { verify: "on, certificate verified", require: "on, certificate NOT verified", off: "OFF" },
  useSsl: { true: "on", false: "OFF" },
  useTls: { true: "on", false: "OFF" },
};

const UNSEEN = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** By type, the fields that may be missing and what that means. */
const WITHOUT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ssh: { hostKeyFingerprint: "not given: the agent pins the first key it sees" },
  kubernetes: { context: "the kubeconfig's current one" },
};

/** By type, what a target without fields means. */
const WITHOUT_FIELDS: Readonly<Record<string, string>> = {
  kubernetes: "the cluster that the kubeconfig names",
  chat: "Slack, or the agent's setting SLACK_API_URL",
  teamchat: "the webhook address, which is the credential itself",
  custom: "scripts, as environment variables",
};

/** A target in words, field by field in the order of the configuration. */
export function targetLines(target: CredentialTarget): TargetLine[] {
  return target.flatMap((entry) => {
    const fields = fieldsOf(entry);
    const type = textOf(entry["type"]);
    const hasPlace = [...fields.keys()].some((name) => name !== "workflows");
    const general = hasPlace ? undefined : own(WITHOUT_FIELDS, type);
    const missing = Object.entries(own(WITHOUT, type) ?? {}).filter(([name]) => !fields.has(name));
    return [
      { label: "Type", value: type },
      ...(general === undefined ? [] : [{ label: "Used for", value: general }]),
      ...[...fields].map(([name, value]) => ({ label: heading(labelOf(name)), value: valueOf(name, value) })),
      ...missing.map(([name, value]) => ({ label: heading(labelOf(name)), value })),
    ];
  });
}

/** The names of the fields in which two targets differ; those of a custom connection as `fields.<name>`. */
export function changedTargetFields(before: CredentialTarget, after: CredentialTarget): string[] {
  const [one, other] = [allFields(before), allFields(after)];
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].filter((name) => one.get(name) !== other.get(name));
}

/** Such names within a sentence: "host and port". */
export function targetFieldWords(names: readonly string[]): string {
  const words = names.map(labelOf);
  return words.length < 2 ? (words[0] ?? "target") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

function allFields(target: CredentialTarget): Map<string, string> {
  return new Map(target.flatMap((entry) => [...fieldsOf(entry)]).map(([name, value]) => [name, compared(value)]));
}

function compared(value: JsonValue): string {
  return canonicalTarget([{ value }]);
}

function fieldsOf({ type: _type, ...entry }: CredentialTarget[number]): Map<string, JsonValue> {
  const { fields, ...others } = entry;
  const free = typeof fields === "object" && fields !== null && !Array.isArray(fields) ? fields : {};
  const named = Object.entries(free).map(([name, value]): [string, JsonValue] => [`fields.${name}`, value]);
  return new Map([...Object.entries(others), ...named]);
}

function labelOf(name: string): string {
  return (
    own(LABELS, name) ?? (name.startsWith("fields.") ? `field ${textOf(name.slice("fields.".length))}` : textOf(name))
  );
}

function heading(label: string): string {
  return label.charAt(0).toUpperCase() + label.slice(1);
}

function valueOf(name: string, value: JsonValue): string {
  if (name === "workflows" && Array.isArray(value)) return value.map(textOf).join(", ") || "none: no workflow";
  const text = textOf(value);
  return own(own(VALUES, name) ?? {}, text) ?? text;
}

/** What would move the cursor, end the line or turn the text around is written out: the values are an editor's. */
function textOf(value: JsonValue | undefined): string {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return text.replace(UNSEEN, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The names come from the service: one such as `constructor` is none of the table's. */
function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
