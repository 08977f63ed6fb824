/** The service's log lines would bury the output of a test run: they are hidden, except with BELLHOP_TEST_LOG=1. */
const isLogLine = (args: readonly unknown[]) => typeof args[0] === "string" && args[0].startsWith('{"level":');

if (process.env["BELLHOP_TEST_LOG"] === undefined) {
  const { warn, error } = console;
  console.warn = (...args: unknown[]) => {
    if (!isLogLine(args)) warn(...args);
  };
  console.error = (...args: unknown[]) => {
    if (!isLogLine(args)) error(...args);
  };
}
