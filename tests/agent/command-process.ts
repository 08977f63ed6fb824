import { buildAgent } from "../../scripts/build-agent.ts";
import { eventually } from "../support/eventually.ts";
import type { AgentHome } from "./agent-process.ts";

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command of the executable on the vault of `home`, with `input` as its standard input. */
export async function runCommand(
  home: AgentHome,
  args: string[],
  {
    env = {},
    input = "",
    executable,
  }: { env?: Record<string, string>; input?: string | Uint8Array; executable?: string } = {},
): Promise<CommandResult> {
  const child = Bun.spawn([executable ?? (await buildAgent()), ...args], {
    cwd: home.directory,
    env: environment(home, env),
    stdin: typeof input === "string" ? Buffer.from(input) : input,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, stdout, stderr };
}

/**
 * Runs a command in its own terminal and types each answer once its question is shown. Returns the terminal's whole
 * output.
 */
export async function typeAtCommand(
  home: AgentHome,
  args: string[],
  answers: { after: string; type: string }[],
  env: Record<string, string> = {},
): Promise<{ code: number; screen: string }> {
  let screen = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn([await buildAgent(), ...args], {
    cwd: home.directory,
    env: environment(home, env),
    terminal: {
      cols: 200,
      rows: 50,
      data: (_terminal, bytes) => {
        screen += decoder.decode(bytes, { stream: true });
      },
    },
  });
  try {
    for (const { after, type } of answers) {
      const from = screen.length;
      await eventually(`the question ${after}`, () => screen.includes(after, Math.max(0, from - after.length)));
      child.terminal?.write(type);
    }
    return { code: await child.exited, screen };
  } finally {
    child.kill("SIGKILL");
    await child.exited;
    child.terminal?.close();
  }
}

function environment(home: AgentHome, env: Record<string, string>): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", HOME: home.directory, VAULT_PATH: home.path("vault.json"), ...env };
}
