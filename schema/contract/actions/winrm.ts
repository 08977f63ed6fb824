import { z } from "zod";
import { STREAMS } from "../action-outputs.ts";
import { code, environment } from "../action-params.ts";
import type { ActionContract } from "../action-types.ts";

export const WINRM_ACTIONS = {
  "winrm.executeCommand": {
    connectionType: "winrm",
    effect: "unsafe",
    params: z.strictObject({ command: code }),
    code: { command: "cmd" },
    output: STREAMS,
  },
  "winrm.executeScript": {
    connectionType: "winrm",
    effect: "unsafe",
    params: z.strictObject({ script: code, env: environment.optional() }),
    code: { script: "powershell" },
    // Variables of the remote shell's environment (WS-Management: rsp:Environment), never text in the script.
    namedValues: "env",
    output: STREAMS,
  },
} as const satisfies Record<string, ActionContract>;
