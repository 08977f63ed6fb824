import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianPeer } from "./debian-peer.ts";
import { buildAgent } from "../../scripts/build-agent.ts";
import { FULL } from "./full.ts";

const WINE = "/usr/lib/wine/wine64";
const WINESERVER = "/usr/lib/wine/wineserver64";
const COMPILER = "/usr/bin/x86_64-w64-mingw32-gcc";

/** Why there is no Wine here; null where there is. */
export const wineMissing: string | null = whyMissing();

/** A function of Windows 10 that Bun needs; Wine 8 has the same one under an older name. */
const PROCESS_PRNG = `#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return SystemFunction036(data, (ULONG)size); }
`;

/** Replaces PowerShell, which Wine lacks: cmd.exe runs the script's file, without its byte order mark. */
const PWSH_BY_CMD = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  char batch[1024], command[1200], text[65536];
  FILE *in, *out;
  size_t length;
  const char *from = text;
  snprintf(batch, sizeof batch, "%s.cmd", argv[argc - 1]);
  if (!(in = fopen(argv[argc - 1], "rb")) || !(out = fopen(batch, "wb"))) return 90;
  length = fread(text, 1, sizeof text - 1, in);
  if (length >= 3 && !memcmp(text, "\\xef\\xbb\\xbf", 3)) from += 3;
  fwrite(from, 1, length - (from - text), out);
  fclose(in);
  fclose(out);
  snprintf(command, sizeof command, "cmd.exe /d /q /c \\"%s\\"", batch);
  return system(command);
}
`;

/** Wine's whoami prints the account without its id. */
const WHOAMI = `#include <stdio.h>
int main(void) {
  puts("\\"wine\\\\agent\\",\\"S-1-5-21-1004336348-1177238915-682003330-1001\\"");
  return 0;
}
`;

export interface WindowsProcess {
  exited: Promise<number>;
  kill(): void;
}

/** A Windows for one test, by Wine: the agent's executable runs in it as it does on Windows 10. */
export class Wine {
  private constructor(readonly directory: string) {}

  static async start(): Promise<Wine> {
    const wine = new Wine(await mkdtemp(join(tmpdir(), "bellhop-wine-")));
    try {
      await wine.#prepare();
    } catch (error) {
      await wine.stop();
      throw error;
    }
    return wine;
  }

  /** The host's path for a path below C:. */
  path(name: string): string {
    return join(this.directory, "prefix/drive_c", name);
  }

  /** Runs the agent's executable to its end. */
  async agent(args: string[], { env = {}, input = "" }: { env?: Record<string, string>; input?: string } = {}) {
    const child = Bun.spawn([WINE, this.path("bellhop/bellhop-agent.exe"), ...args], {
      cwd: this.path("bellhop"),
      env: this.#environment(env),
      stdin: Buffer.from(input),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [code, stdout, stderr] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    return { code, stdout: stdout.replaceAll("\r\n", "\n"), stderr: stderr.replaceAll("\r\n", "\n") };
  }

  /** Starts the agent's executable; its arguments say where its output goes. */
  startAgent(args: string[]): WindowsProcess {
    const child = Bun.spawn([WINE, this.path("bellhop/bellhop-agent.exe"), ...args], {
      cwd: this.path("bellhop"),
      env: this.#environment(),
      stdio: ["ignore", "ignore", "ignore"],
    });
    return { exited: child.exited, kill: () => child.kill("SIGKILL") };
  }

  async stop(): Promise<void> {
    await this.#run([WINESERVER, "--kill"]);
    await this.#run([WINESERVER, "--wait"]);
    await rm(this.directory, { recursive: true, force: true });
  }

  async #prepare(): Promise<void> {
    await this.#must([WINE, "wineboot", "--init"]);
    await this.#must([WINE, "winecfg", "-v", "win10"]);
    await mkdir(this.path("bellhop"));
    await this.#compile(PROCESS_PRNG, this.path("windows/system32/bcryptprimitives.dll"), ["-shared"], ["-ladvapi32"]);
    await this.#compile(PWSH_BY_CMD, this.path("windows/pwsh.exe"), [], []);
    await this.#compile(WHOAMI, this.path("windows/system32/whoami.exe"), [], []);
    await copyFile(await buildAgent({ target: "windows-x64" }), this.path("bellhop/bellhop-agent.exe"));
  }

  async #compile(source: string, output: string, before: string[], after: string[]): Promise<void> {
    const file = join(this.directory, "source.c");
    await writeFile(file, source);
    await this.#must([COMPILER, ...before, "-O1", "-o", output, file, ...after]);
  }

  async #must(command: string[]): Promise<void> {
    const log = join(this.directory, "log");
    const code = await this.#run(command, log);
    if (code !== 0) throw new Error(`${command.join(" ")} ended with ${code}: ${await readFile(log, "utf8")}`);
  }

  async #run(command: string[], log = "/dev/null"): Promise<number> {
    const child = Bun.spawn(command, {
      cwd: this.directory,
      env: this.#environment(),
      stdio: ["ignore", "ignore", Bun.file(log)],
    });
    return child.exited;
  }

  #environment(env: Record<string, string> = {}): Record<string, string> {
    const PATH = process.env["PATH"] ?? "";
    // Without a display and the parts that Wine would offer to download, and with the whoami above.
    const wine = { WINEPREFIX: join(this.directory, "prefix"), WINEARCH: "win64", WINEDEBUG: "-all" };
    return { PATH, HOME: this.directory, WINEDLLOVERRIDES: "mscoree,mshtml=;whoami.exe=n", ...wine, ...env };
  }
}

function whyMissing(): string | null {
  if (!FULL) return "it is slow: npm run test:full runs it";
  return (
    debianPeer(WINE, "wine64", { full: true }) ?? debianPeer(COMPILER, "gcc-mingw-w64-x86-64-win32", { full: true })
  );
}
