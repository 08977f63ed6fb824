import { join } from "node:path";
import { ROOT } from "../scripts/paths.ts";

/** The local libSQL server in a separate process, as `npm start` runs it. */
export interface LibsqlProcess {
  url: string;
  stop(): Promise<void>;
}

export async function startLibsqlProcess(file: string): Promise<LibsqlProcess> {
  const child = Bun.spawn(
    [process.execPath, join(ROOT, "scripts/libsql-server/main.ts"), "--file", file, "--port", "0"],
    { stdin: "ignore", stdout: "pipe", stderr: "inherit" },
  );
  // Also when the benchmark is interrupted.
  process.once("exit", () => child.kill("SIGTERM"));
  return {
    url: await firstUrl(child.stdout),
    stop: async () => {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

/** The first address that a server prints. */
export async function firstUrl(stdout: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stdout) {
    text += new TextDecoder().decode(chunk);
    const url = /https?:\/\/[^\s"]+/u.exec(text)?.[0];
    if (url !== undefined && text.includes("\n")) return url;
  }
  throw new Error("the server ended before it was ready");
}
