import { EXIT } from "./exit-codes.ts";
import { HELP, VERSION_LINE } from "./help.ts";

/** The executable. Each command is loaded when it is asked for, so that none pays for another. */
async function main(args: readonly string[]): Promise<number> {
  const [command = "run", ...rest] = args;
  if (rest.length === 0) {
    switch (command) {
      case "run":
        return runCommand();
      case "--version":
      case "-v":
        process.stdout.write(`${VERSION_LINE}\n`);
        return EXIT.ok;
      case "--help":
      case "-h":
      case "help":
        process.stdout.write(HELP);
        return EXIT.ok;
    }
  }
  process.stderr.write(`bellhop-agent: unknown command: ${args.join(" ")}\nTry bellhop-agent --help.\n`);
  return EXIT.usage;
}

async function runCommand(): Promise<number> {
  const { run, reportCrash } = await import("./run.ts");
  const { loadExecutor, capabilities } = await import("./executors/index.ts");
  try {
    return await run({ load: loadExecutor, capabilities });
  } catch (error) {
    reportCrash(error);
    return EXIT.failed;
  }
}

// exitCode alone would wait for timers and sockets that have nothing left to do.
void main(process.argv.slice(2)).then((code) => process.exit(code));
