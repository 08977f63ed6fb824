import { z } from "zod";
import { STREAMS } from "../action-outputs.ts";
import { code } from "../action-params.ts";
import type { ActionContract } from "../action-types.ts";

export const WINRM_ACTIONS = {
  "winrm.executeCommand": {
    connectionType: "winrm",
    effect: "unsafe",
    params: z.strictObject({ command: code }),
    // Plain values stand in the text itself; `values` is empty.
    code: { command: "cmd" },
    output: STREAMS,
  },
  "winrm.executeScript": {
    connectionType: "winrm",
    effect: "unsafe",
    params: z.strictObject({ script: code }),
    // `values` are variables of the remote shell's environment (WS-Management: rsp:Environment), never text in the script.
    code: { script: "powershell" },
    output: STREAMS,
  },
} as const satisfies Record<string, ActionContract>;
