import { z } from "zod";
import { STREAMS } from "../action-outputs.ts";
import { CODE, ENV } from "../action-params.ts";
import type { JsonObject } from "../json.ts";
import { configFields, connectionType, paramFields, secretForm } from "./descriptor.ts";
import {
  AUTHENTICATION_TARGET,
  HOST_TARGET,
  ON_OR_OFF,
  PORT_TARGET,
  hasOneHost,
  host,
  hostName,
  password,
  port,
  problemWithPlaces,
  targetsInPlaceOf,
  userName,
} from "./fields.ts";

export const winrm = connectionType({
  label: "WinRM",
  does: "Commands and PowerShell on Windows hosts.",
  needs: "A Windows host with remote management switched on, and an account's name and password.",
  icon: "windows",
  config: configFields(
    {
      host: {
        schema: host.optional(),
        label: "Host",
        help: "As the agent reaches it; with HTTPS, the name in the host's certificate.",
        placeholder: "win-1.internal",
        when: hasOneHost,
        target: HOST_TARGET,
      },
      targets: targetsInPlaceOf("host", { addresses: true }),
      port: {
        schema: port,
        label: "Port",
        help: "5986 for HTTPS, 5985 for HTTP.",
        start: 5986,
        target: PORT_TARGET,
      },
      useSsl: {
        schema: z.boolean(),
        label: "Use HTTPS",
        start: true,
        target: { label: "HTTPS", values: ON_OR_OFF },
      },
      authMethod: {
        schema: z.enum(["basic", "ntlm", "kerberos"]),
        label: "Sign in with",
        start: "ntlm",
        choices: {
          basic: { label: "Basic", help: "Accounts of the machine only. Use it with HTTPS." },
          ntlm: { label: "NTLM", help: "Accounts of the machine and of a domain." },
          kerberos: { label: "Kerberos", help: "Can be saved, but agents do not support it yet: actions fail." },
        },
        target: { ...AUTHENTICATION_TARGET, values: { basic: "Basic", ntlm: "NTLM", kerberos: "Kerberos" } },
      },
    },
    ({ host, targets, useSsl }) => {
      const problem = problemWithPlaces("host", host, targets);
      if (problem !== null || targets === undefined || useSsl) return problem;
      return {
        path: ["useSsl"],
        message: "must be true with targets: only its certificate shows that a host is the right one",
      };
    },
  ),
  secrets: secretForm({
    username: {
      ...userName,
      help: ".\\name for an account of the machine, DOMAIN\\name or name@domain for one of a domain.",
    },
    password,
  }),
  needsCredential: () => true,
  target: ({ host = "", targets, port, useSsl, authMethod }): JsonObject => ({
    ...(targets === undefined ? { host: hostName(host) } : { targets: targets.toSorted() }),
    port,
    useSsl,
    authMethod,
  }),
  runsCode: true,
  stages: ["TCP connection", "TLS", "WinRM", "Authentication"],
  actions: {
    "winrm.executeCommand": {
      label: "Execute command",
      effect: "unsafe",
      params: paramFields({ command: { ...CODE, label: "Command", code: "cmd" } }),
      output: STREAMS,
      example: { command: "ipconfig" },
    },
    "winrm.executeScript": {
      label: "Execute script",
      effect: "unsafe",
      // Variables of the remote shell's environment (WS-Management: rsp:Environment), never text in the script.
      params: paramFields({ script: { ...CODE, label: "Script", code: "powershell" }, env: ENV }),
      namedValues: "env",
      output: STREAMS,
      example: { script: "Get-Service W32Time" },
    },
  },
  example: {
    config: { host: "win-1.example.com", port: 5985, useSsl: false, authMethod: "ntlm" },
    secrets: [{ username: ".\\bellhop", password: "correct horse" }],
  },
});
