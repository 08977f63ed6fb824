import { z } from "zod";
import { STREAMS } from "../action-outputs.ts";
import { CODE, ENV, SECRETS_FROM, text } from "../action-params.ts";
import { problemWithSshKey } from "../private-key.ts";
import { hostKeyIn, hostKeysSchema } from "../host-keys.ts";
import { placeIn, placeText } from "../target-list.ts";
import type { JsonObject } from "../json.ts";
import { configFields, connectionType, paramFields, secretForms } from "./descriptor.ts";
import type { FieldProblem } from "./descriptor.ts";
import {
  AUTHENTICATION_TARGET,
  HOST_TARGET,
  PORT_TARGET,
  hasOneHost,
  hasTargets,
  host,
  hostName,
  password,
  port,
  problemWithPlaces,
  secretText,
  targetsInPlaceOf,
} from "./fields.ts";

const privateKey = secretText.superRefine((key, context) => {
  const message = problemWithSshKey(key);
  if (message !== null) context.addIssue({ code: "custom", message });
});

export const ssh = connectionType({
  label: "SSH",
  does: "Commands and scripts on hosts with a POSIX shell.",
  needs: "A host, an account on it, and that account's password or private key.",
  icon: "terminal",
  config: configFields(
    {
      host: {
        schema: host.optional(),
        label: "Host",
        help: "Host name or IP address, as the agent reaches it.",
        placeholder: "web-1.internal",
        when: hasOneHost,
        target: HOST_TARGET,
      },
      targets: targetsInPlaceOf("host", { addresses: true }),
      port: { schema: port.default(22), label: "Port", target: PORT_TARGET },
      username: {
        schema: z.string().min(1).max(255),
        label: "User",
        help: "The account to sign in as.",
        placeholder: "deploy",
        target: { label: "user name" },
      },
      authMethod: {
        schema: z.enum(["password", "privateKey"]),
        label: "Sign in with",
        start: "privateKey",
        choices: { password: { label: "Password" }, privateKey: { label: "Private key" } },
        target: { ...AUTHENTICATION_TARGET, values: { password: "password", privateKey: "private key" } },
      },
      hostKeyFingerprint: {
        schema: z
          .string()
          .regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/u, "must be the form that ssh-keygen -lf prints: SHA256:<base64>")
          .optional(),
        label: "Host key fingerprint",
        help: "The only accepted host key, as ssh-keygen -lf prints it. When empty, the agent trusts the first key that it sees.",
        placeholder: "SHA256:…",
        when: hasOneHost,
        target: { label: "host key", missing: "not given: the agent pins the first key it sees" },
      },
      hostKeys: {
        schema: hostKeysSchema.optional(),
        label: "Host keys",
        help: "One line for each key: the host and the fingerprint, or what ssh-keyscan HOST | ssh-keygen -lf - prints. The agent signs in to no host without one.",
        placeholder: "web-1.example.org SHA256:…",
        when: hasTargets,
        target: { label: "host keys", missing: "none: the agent signs in to no host" },
      },
    },
    problemWithHosts,
  ),
  secrets: secretForms(
    { password },
    {
      privateKey: {
        schema: privateKey,
        label: "Private key",
        help: "Ed25519, RSA or ECDSA, in PEM, PKCS#8 or OpenSSH format; not PPK.",
        isFile: true,
      },
      passphrase: {
        schema: secretText.optional(),
        label: "Key passphrase",
        help: "Only if the key is encrypted.",
      },
    },
  ),
  secretsBy: { field: "authMethod", names: { password: "password", privateKey: "privateKey" } },
  needsCredential: () => true,
  mistakeIn: ({ targets, hostKeys = [] }) =>
    targets === undefined || hostKeys.length > 0
      ? null
      : { path: ["hostKeys"], message: "no host has a key yet, so the agent signs in to none of them: add the keys" },
  target: ({ host = "", targets, port, username, authMethod, hostKeyFingerprint, hostKeys = [] }): JsonObject =>
    targets === undefined
      ? {
          host: hostName(host),
          port,
          username,
          authMethod,
          ...(hostKeyFingerprint === undefined ? {} : { hostKeyFingerprint: hostKeyFingerprint.replace(/=+$/u, "") }),
        }
      : { targets: targets.toSorted(), port, username, authMethod, ...normalKeys(hostKeys, port) },
  runsCode: true,
  stages: ["TCP connection", "SSH handshake", "Authentication"],
  actions: {
    "ssh.executeCommand": {
      label: "Execute command",
      effect: "unsafe",
      params: paramFields({
        command: { ...CODE, label: "Command", code: "sh" },
        env: ENV,
        secretsFrom: SECRETS_FROM,
      }),
      namedValues: "env",
      output: STREAMS,
      example: { command: "systemctl is-active nginx" },
    },
    "ssh.executeScript": {
      label: "Execute script",
      effect: "unsafe",
      languageOf: ({ interpreter = "bash" }) => languageOf(interpreter),
      params: paramFields({
        script: { ...CODE, label: "Script", code: "bash" },
        interpreter: {
          schema: z
            .string()
            .regex(
              /^[A-Za-z0-9._/+-]{1,255}$/u,
              "must be the name or path of a program, such as bash or /usr/bin/python3",
            )
            .default("bash"),
          label: "Interpreter",
          help: "The program on the host that reads the script, such as bash, python3 or pwsh.",
        },
        arguments: {
          schema: z.array(text).max(100).optional(),
          label: "Arguments",
          help: "The script's arguments. Any value is safe here.",
        },
        env: ENV,
        secretsFrom: SECRETS_FROM,
      }),
      namedValues: "env",
      output: STREAMS,
      example: { script: 'df -h "$1"', arguments: ["/var"] },
    },
  },
  example: {
    config: {
      host: "web-1.example.com",
      port: 2222,
      username: "deploy",
      authMethod: "password",
      hostKeyFingerprint: `SHA256:${"a".repeat(43)}`,
    },
    secrets: [
      { password: "correct horse" },
      {
        privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\nexample\n-----END OPENSSH PRIVATE KEY-----\n",
        passphrase: "battery staple",
      },
    ],
  },
});

function problemWithHosts(config: {
  host?: string | undefined;
  targets?: string[] | undefined;
  port: number;
  hostKeyFingerprint?: string | undefined;
  hostKeys?: string[] | undefined;
}): FieldProblem | null {
  const { host, targets, port, hostKeyFingerprint, hostKeys = [] } = config;
  const problem = problemWithPlaces("host", host, targets);
  if (problem !== null) return problem;
  if (targets === undefined) {
    const message = "belongs to targets: for one host, use hostKeyFingerprint";
    return hostKeys.length === 0 ? null : { path: ["hostKeys"], message };
  }
  if (hostKeyFingerprint !== undefined) {
    return { path: ["hostKeyFingerprint"], message: "is for one host: with targets, use hostKeys" };
  }
  const list = { targets, port };
  const unknown = normalPlaces(hostKeys, port).findIndex((place) => place !== null && placeIn(list, place) === null);
  if (unknown === -1) return null;
  return {
    path: ["hostKeys", unknown],
    message: "is the key of a host that targets does not allow: correct one of them",
  };
}

/** One spelling for each key, so that the same keys are the same target. */
function normalKeys(hostKeys: readonly string[], port: number): JsonObject {
  const places = normalPlaces(hostKeys, port);
  const keys = hostKeys.map((text, index) => `${places[index]} ${hostKeyIn(text)?.fingerprint}`);
  return keys.length === 0 ? {} : { hostKeys: [...new Set(keys)].toSorted() };
}

/** Null for a text that is no key, which its own schema reports. */
function normalPlaces(hostKeys: readonly string[], port: number): (string | null)[] {
  return hostKeys.map((text) => {
    const key = hostKeyIn(text);
    return key === null ? null : placeText({ host: key.host, port: key.port ?? port });
  });
}

/** zsh and ksh evaluate words in more places than bash does. */
function languageOf(interpreter: unknown) {
  const program = typeof interpreter === "string" ? interpreter.split("/").at(-1) : undefined;
  if (program === undefined) return "unknown";
  if (program === "bash") return "bash";
  if (/^(sh|dash|ash)$/u.test(program)) return "sh";
  if (/^python([0-9.]*)$/u.test(program)) return "python";
  if (program === "pwsh") return "powershell";
  return "unknown";
}
