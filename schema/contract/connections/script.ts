import { z } from "zod";
import { STREAMS } from "../action-outputs.ts";
import { CODE, ENV, SECRETS_FROM } from "../action-params.ts";
import type { CodeLanguage } from "../action-types.ts";
import { configFields, connectionType, paramFields } from "./descriptor.ts";

const script = (code: CodeLanguage, label: string, example: string) =>
  ({
    label,
    effect: "unsafe",
    params: paramFields({
      script: { ...CODE, label: "Script", code },
      workingDirectory: {
        schema: z.string().min(1).max(4_096).optional(),
        label: "Working directory",
        help: "Where it runs on the agent's machine. When empty, in a new directory that is removed afterwards.",
      },
      env: ENV,
      secretsFrom: SECRETS_FROM,
    }),
    namedValues: "env",
    output: STREAMS,
    example: { script: example },
  }) as const;

const scriptType = connectionType({
  label: "Script",
  does: "Bash, Python and PowerShell on the agent's own host.",
  needs: "Only an agent or a pool. Scripts run there, as the separate account for jobs if the agent has one.",
  icon: "code",
  config: configFields({}),
  secrets: null,
  needsCredential: () => false,
  target: () => ({}),
  runsCode: true,
  stages: ["bash", "python", "powershell"],
  actions: {
    "script.bash": script("bash", "Bash script", "echo hello"),
    "script.powershell": script("powershell", "PowerShell script", "Write-Output hello"),
    "script.python": script("python", "Python script", "print('hello')"),
  },
  example: { config: {}, secrets: [] },
});
export { scriptType as script };
