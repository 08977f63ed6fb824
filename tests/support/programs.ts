import { HostedPrograms } from "../../agent/programs/hosted.ts";
import type { JobChannel } from "../../agent/programs/hosted.ts";
import { JOB_COMMAND } from "../../agent/programs/job-process.ts";
import type { Programs } from "../../agent/programs/program.ts";
import { buildAgent } from "../../scripts/build-agent.ts";

/** Both ways to start programs of jobs; null is the agent's default way. */
export const WAYS: readonly (readonly [string, (() => HostedPrograms) | null])[] = [
  ["started by the agent", null],
  ["started by a process that the agent gives its order", hostedPrograms],
];

/** Programs in separate processes, as in all other ways, but of this process's account. */
function hostedPrograms(): HostedPrograms {
  return new HostedPrograms(async () => channelTo(await buildAgent(), JOB_COMMAND));
}

/** A job process that this command starts. */
export function channelTo(...command: string[]): JobChannel {
  const child = Bun.spawn(command, { cwd: "/", stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  return {
    chunks: child.stdout,
    get isOpen() {
      return child.exitCode === null && child.signalCode === null;
    },
    send: (bytes) => {
      child.stdin.write(bytes);
      void child.stdin.flush();
    },
    close: () => void child.stdin.end(),
  };
}

/** A way as actions take it. */
export function programsFor(way: (() => HostedPrograms) | null): { programs?: Programs; stop: () => Promise<void> } {
  const hosted = way?.() ?? null;
  return hosted === null ? { stop: async () => undefined } : { programs: hosted, stop: () => hosted.stop() };
}
