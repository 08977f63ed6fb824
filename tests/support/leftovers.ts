/** Ends of jobs: the last lines of the script, and the job's status. */
export const ENDS = [
  ["that ends", "true", "succeeded"],
  ["that fails", "exit 3", "failed"],
  ["that is cancelled", "sleep 300", "cancelled"],
  ["whose time is over", "sleep 300", "timed_out"],
  ["that kills the process which started it", "kill -KILL $PPID; sleep 300", "failed"],
] as const;

let count = 0;

/**
 * Bash that leaves processes behind: without its session, its environment and its output, reparented, or ignoring
 * SIGTERM. `tokens`: texts on their command lines, and on no others.
 */
export function leaving(): { script: string; tokens: string[] } {
  const tokens = ["plain", "deaf", "adopted"].map(() => `sleep 31${process.pid}.${++count}`);
  const [plain = "", deaf = "", adopted = ""] = tokens;
  const quiet = "< /dev/null > /dev/null 2>&1 &";
  const script = `
env -i setsid ${plain} ${quiet}
env -i setsid sh -c 'trap "" TERM HUP INT; exec ${deaf}' ${quiet}
(env -i setsid sh -c 'setsid ${adopted} & exit' ${quiet})
for token in '${tokens.join("' '")}'; do until pgrep -x -f "$token" > /dev/null; do sleep 0.02; done; done`;
  return { script, tokens };
}
