import { join } from "node:path";

export interface LibsqlProcess {
  url: string;
  /** Sends the signal to this process alone: SIGSTOP pauses it at any point. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void;
  /** Sends the signal to this process alone and waits for its end. Returns its exit code, null after SIGKILL. */
  end(signal: "SIGKILL" | "SIGTERM" | "SIGINT"): Promise<number | null>;
}

const MAIN = join(import.meta.dir, "../../scripts/libsql-server/main.ts");

/** The local libSQL server as a separate process, ready. Rejects with its output when it ends before that. */
export async function startLibsqlProcess(file: string, options: string[] = [], token = ""): Promise<LibsqlProcess> {
  const child = Bun.spawn([process.execPath, MAIN, "--file", file, ...options], {
    env: { ...process.env, LIBSQL_AUTH_TOKEN: token },
    stdout: "pipe",
    stderr: "pipe",
  });
  let printed = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    printed += chunk;
    if (printed.includes("\n")) break;
  }
  const url = /http:\S+/.exec(printed)?.[0];
  if (url === undefined) throw new Error(`the server did not start: ${await new Response(child.stderr).text()}`);
  return {
    url,
    signal: (signal) => child.kill(signal),
    async end(signal) {
      child.kill(signal);
      await child.exited;
      return child.exitCode;
    },
  };
}
