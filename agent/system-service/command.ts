import { asksForHelp } from "../commands/options.ts";
import { orRefused } from "../commands/refused-command.ts";
import { EXIT } from "../exit-codes.ts";
import { parseServiceCommand } from "./arguments.ts";
import { SERVICE_HELP } from "./help.ts";

/** `bellhop-agent service …`; returns the exit code. */
export function serviceCommand(args: readonly string[]): Promise<number> {
  return orRefused(async () => {
    if (asksForHelp(args)) {
      process.stdout.write(SERVICE_HELP);
      return EXIT.ok;
    }
    const command = parseServiceCommand(args, process.platform);
    const say = (line: string): void => {
      process.stdout.write(`${line}\n`);
    };
    if (process.platform === "win32") return (await import("./windows/command.ts")).onWindows(command, say);
    const { hasSystemd, answerWithoutSystemd } = await import("./linux/no-systemd.ts");
    const isDryRun = command.verb === "install" && command.dryRun;
    if (!hasSystemd() && !isDryRun) return answerWithoutSystemd(command, say);
    switch (command.verb) {
      case "install":
        return (await import("./linux/install.ts")).installOnSystemd(command, say);
      case "uninstall":
        return (await import("./linux/uninstall.ts")).uninstallFromSystemd(command, say);
      case "status":
        return (await import("./linux/status.ts")).statusOnSystemd(command, say);
    }
  });
}
