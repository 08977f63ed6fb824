import { EXIT } from "../exit-codes.ts";
import { adoptEnvironment, commandEnvironment } from "./environment.ts";
import type { WriteLog } from "../run.ts";
import { holdUntilSignal } from "./hold.ts";
import { logToFile } from "./log-file.ts";
import { asksForHelp, parseOptions } from "./options.ts";
import { orRefused } from "./refused-command.ts";

const HELP = `Usage: bellhop-agent run [--env-file <path>] [--log-file <path>] [--hold-superseded]
Runs the agent until SIGTERM or Ctrl-C, configured by the environment.

  --env-file <path>  also reads lines of NAME=value from a file, which override the environment; other users must
                     not be able to read it. Values are read literally, without quotes and without expansion.
  --log-file <path>  writes the log there instead of to standard error; at 10 MiB it becomes <path>.1
  --hold-superseded  when another process registers as this agent, waits without working instead of ending with 76.
                     For a supervisor that restarts the agent after every end (Task Scheduler): without this option
                     the two processes would take turns for ever
`;

/** `bellhop-agent run --env-file …`: for a service manager that cannot set a program's environment. */
export function runWithOptions(
  args: readonly string[],
  run: (writeLog?: WriteLog) => Promise<number>,
): Promise<number> {
  return orRefused(async () => {
    if (asksForHelp(args)) {
      process.stdout.write(HELP);
      return EXIT.ok;
    }
    const options = parseOptions("run", args, {
      "env-file": "value",
      "log-file": "value",
      "hold-superseded": "flag",
    });
    const environment = commandEnvironment(options.value("env-file"), { orInstalled: false });
    const logFile = options.value("log-file");
    const hold = options.has("hold-superseded");
    const ended = await adoptEnvironment(environment, ["run", ...args]);
    if (ended !== null) return ended;
    const writeLog = logFile === null ? undefined : logToFile(logFile);
    const code = await run(writeLog);
    if (!hold || code !== EXIT.superseded) return code;
    const write = writeLog ?? ((line: string) => process.stderr.write(line));
    write("bellhop-agent: another process works as this agent: this one waits without working until it is restarted\n");
    await holdUntilSignal();
    return code;
  });
}
