import { z } from "zod";
import { STREAMS } from "../action-outputs.ts";
import { code, environment, secretsFrom } from "../action-params.ts";
import type { ActionContract } from "../action-types.ts";

const scriptParams = z.strictObject({
  script: code,
  workingDirectory: z.string().min(1).max(4_096).optional(),
  env: environment.optional(),
  secretsFrom,
});

export const SCRIPT_ACTIONS = {
  "script.bash": {
    connectionType: "script",
    effect: "unsafe",
    params: scriptParams,
    code: { script: "bash" },
    namedValues: "env",
    output: STREAMS,
  },
  "script.powershell": {
    connectionType: "script",
    effect: "unsafe",
    params: scriptParams,
    code: { script: "powershell" },
    namedValues: "env",
    output: STREAMS,
  },
  "script.python": {
    connectionType: "script",
    effect: "unsafe",
    params: scriptParams,
    code: { script: "python" },
    namedValues: "env",
    output: STREAMS,
  },
} as const satisfies Record<string, ActionContract>;
