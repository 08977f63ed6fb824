import { ExecutorFailure } from "../shared/failures.ts";
import type { Environment } from "../shared/environment.ts";

export type Language = "bash" | "python" | "powershell";

interface Interpreter {
  /** Tried in this order. The rest of an entry is arguments before the script's file. */
  candidates: Record<"windows" | "unix", readonly (readonly [string, ...string[]])[]>;
  fileName: string;
  versionArguments: readonly string[];
  install: string;
}

const POWERSHELL = ["-NoLogo", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-File"] as const;

export const INTERPRETERS = {
  bash: {
    candidates: { windows: [["bash"]], unix: [["bash"]] },
    fileName: "script.sh",
    versionArguments: ["--version"],
    install: "Install bash (on Windows: Git for Windows)",
  },
  python: {
    // On Windows python3 is often only a link to the store, and py is the launcher of python.org.
    candidates: { windows: [["py", "-3"], ["python"], ["python3"]], unix: [["python3"]] },
    fileName: "script.py",
    versionArguments: ["--version"],
    install: "Install Python 3",
  },
  powershell: {
    candidates: {
      windows: [
        ["pwsh", ...POWERSHELL],
        ["powershell", ...POWERSHELL],
      ],
      unix: [["pwsh", "-NoLogo", "-NoProfile", "-NonInteractive", "-File"]],
    },
    fileName: "script.ps1",
    versionArguments: ["-NoProfile", "-Command", "$PSVersionTable.PSVersion.ToString()"],
    install: "Install PowerShell 7 (pwsh)",
  },
} as const satisfies Record<Language, Interpreter>;

/**
 * The command that runs a file in the language; null when this machine has none. Only a process of another account can
 * say what that account finds: its command has no path, and starting it throws ENOENT when it is missing.
 */
export function findInterpreter(
  language: Language,
  environment: Environment,
  { otherAccount }: { otherAccount: boolean } = { otherAccount: false },
): [string, ...string[]] | null {
  const path = Object.entries(environment).find(([name]) => name.toUpperCase() === "PATH")?.[1] ?? "";
  const candidates = INTERPRETERS[language].candidates[process.platform === "win32" ? "windows" : "unix"];
  for (const [program, ...rest] of candidates) {
    const found = otherAccount ? program : Bun.which(program, { PATH: path });
    if (found !== null) return [found, ...rest];
  }
  return null;
}

export function interpreterMissing(language: Language): ExecutorFailure {
  const { install } = INTERPRETERS[language];
  const message = `script.${language} needs ${language} on the agent's host. ${install}, on the PATH of the agent's service.`;
  return new ExecutorFailure("interpreter_missing", message);
}
