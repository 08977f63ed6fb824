import { z } from "zod";
import { STREAMS } from "../action-outputs.ts";
import { code, environment, secretsFrom, text } from "../action-params.ts";
import type { ActionContract } from "../action-types.ts";

export const SSH_ACTIONS = {
  "ssh.executeCommand": {
    connectionType: "ssh",
    effect: "unsafe",
    params: z.strictObject({ command: code, env: environment.optional(), secretsFrom }),
    code: { command: "sh" },
    namedValues: "env",
    output: STREAMS,
  },
  "ssh.executeScript": {
    connectionType: "ssh",
    effect: "unsafe",
    params: z.strictObject({
      script: code,
      interpreter: z
        .string()
        .regex(/^[A-Za-z0-9._/+-]{1,255}$/u, "must be the name or path of a program, such as bash or /usr/bin/python3")
        .default("bash"),
      arguments: z.array(text).max(100).optional(),
      env: environment.optional(),
      secretsFrom,
    }),
    code: { script: "bash" },
    namedValues: "env",
    output: STREAMS,
  },
} as const satisfies Record<string, ActionContract>;
