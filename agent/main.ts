import { didYouMean } from "../schema/contract/nearest-value.ts";
import { EXIT } from "./exit-codes.ts";
import { closeToOwnAccount } from "./isolation/protect-process.ts";
import { VERSION_LINE } from "./version.ts";

const COMMANDS = ["run", "doctor", "service", "enrol", "update", "credentials", "fingerprint", "help"];
const OPTIONS = ["--help", "--version"];

/** The executable. Each command is loaded only when it is used, so no command pays for another. */
async function main(args: readonly string[]): Promise<number> {
  closeToOwnAccount();
  const [command = "run", ...rest] = args;
  if (rest.length === 0) {
    switch (command) {
      case "run":
        return runCommand();
      // Internal: the agent starts itself with this command for each statement on a SQLite file.
      case "sqlite-process":
        await (await import("./executors/database/sqlite/serve.ts")).serveSqlite();
        return EXIT.ok;
      // Internal: a process of the job account, which gets its order from the agent.
      case "job-process":
        (await import("./isolation/accept-connection.ts")).acceptConnection();
        await (await import("./programs/job-process.ts")).serveJob();
        return EXIT.ok;
      case "--version":
      case "-v":
        process.stdout.write(`${VERSION_LINE}\n`);
        return EXIT.ok;
      case "--help":
      case "-h":
      case "help":
        process.stdout.write((await import("./help.ts")).HELP);
        return EXIT.ok;
    }
  }
  switch (command) {
    // Internal: root runs this command to end the processes that a job left behind.
    case "end-account":
      (await import("./programs/end-account.ts")).endAccount(Number(rest[0]));
      return EXIT.ok;
    case "run":
      if (rest[0]?.startsWith("-") !== true) break;
      return (await import("./commands/run-with-options.ts")).runWithOptions(rest, runCommand);
    case "credentials":
      return (await import("./credentials/command.ts")).credentialsCommand(rest);
    case "fingerprint":
      if (rest[0]?.startsWith("--env-file") === false) break;
      return (await import("./credentials/command.ts")).fingerprintCommand(rest);
    case "doctor":
      return (await import("./doctor/command.ts")).doctorCommand(rest);
    case "service":
      return (await import("./system-service/command.ts")).serviceCommand(rest);
    case "enrol":
      return (await import("./enrolment/command.ts")).enrolCommand(rest);
    case "update":
      return (await import("./update/command.ts")).updateCommand(rest);
  }
  process.stderr.write(`bellhop-agent: ${unknown(command, args)}\n`);
  return EXIT.usage;
}

function unknown(command: string, args: readonly string[]): string {
  const hint = `Try bellhop-agent ${command === "status" ? "service status" : "--help"}.`;
  // A known word is at fault only together with the words after it.
  if ([...COMMANDS, ...OPTIONS, "-h", "-v"].includes(command)) return `unknown command: ${shown(args)}\n${hint}`;
  const [kind, known] = command.startsWith("-") ? ["option", OPTIONS] : ["command", COMMANDS];
  const guess = didYouMean(known, command);
  return `unknown ${kind}: ${shown(args)}${guess && `.${guess}`}\n${hint}`;
}

/** Shows only words that look like a command or an option: any other word may be a key in the wrong place. */
function shown(args: readonly string[]): string {
  const words = args.map((word) => (/^-{0,2}[a-z][a-z-]{0,19}$/u.test(word) ? word : "…"));
  return words.join(" ");
}

async function runCommand(writeLog?: (line: string) => void): Promise<number> {
  const { run, reportCrash } = await import("./run.ts");
  const { loadExecutor, capabilities } = await import("./executors/index.ts");
  try {
    return await run({ load: loadExecutor, capabilities }, writeLog);
  } catch (error) {
    reportCrash(error, writeLog);
    return EXIT.failed;
  }
}

// With exitCode alone the process would wait for idle timers and sockets.
void main(process.argv.slice(2)).then((code) => process.exit(code));
