import { hasSystemd } from "../system-service/linux/no-systemd.ts";
import { JOB_SOCKET_UNIT, JOB_UNIT, UNIT } from "../system-service/linux/unit-file.ts";
import { programOf, showUnits } from "../system-service/linux/unit-status.ts";
import type { Check } from "./check.ts";
import { checksNamed } from "./check.ts";

/** The units of the installed service, as systemd read them, drop-ins included. */
export interface InstalledUnits {
  /** The agent's account. */
  user: string;
  executable: string;
  /** Whether jobs run behind the socket, and not in the agent's own unit. */
  usesSocket: boolean;
  socket: UnitState;
  job: UnitState;
  /** The units' files and their drop-ins. */
  files: string[];
}

interface UnitState {
  load: string;
  active: string;
  sub: string;
}

const PROPERTIES = "LoadState ActiveState SubState User Environment ExecStart FragmentPath DropInPaths".split(" ");
/** systemd shows a template by one of its instances. */
const ANY_JOB = JOB_UNIT.replace("@", "@0");
const jobSocket = checksNamed("job socket");

/** Null where no service is installed, and without systemd. */
export async function readInstalledUnits(): Promise<InstalledUnits | null> {
  if (!hasSystemd()) return null;
  const [agent, socket, job] = (await showUnits([UNIT, JOB_SOCKET_UNIT, ANY_JOB], PROPERTIES)) ?? [];
  if (agent === undefined || socket === undefined || job === undefined || agent("LoadState") !== "loaded") return null;
  return {
    user: agent("User") || "root",
    executable: programOf(agent("ExecStart")),
    usesSocket: /(?:^|[ "])JOB_SOCKET=/u.test(agent("Environment")),
    socket: stateOf(socket),
    job: stateOf(job),
    files: [agent, socket, job].flatMap((text) =>
      [text("FragmentPath"), ...text("DropInPaths").split(" ")].filter((path) => path !== ""),
    ),
  };
}

/** Without the socket the agent runs, and no job with a program starts. */
export function checkJobSocket({ usesSocket, socket, job }: InstalledUnits): Check[] {
  if (!usesSocket) return [];
  const missing = [
    [JOB_SOCKET_UNIT, socket],
    [JOB_UNIT, job],
  ] as const;
  const checks = missing
    .filter(([, { load }]) => load !== "loaded")
    .map(([name, { load }]) =>
      jobSocket.fail(
        `${UNIT} needs ${name}, which is ${load}: no job with a program starts`,
        "write it again: sudo bellhop-agent service install",
      ),
    );
  if (checks.length > 0) return checks;
  if (socket.active !== "active") {
    return [
      jobSocket.fail(
        `${JOB_SOCKET_UNIT} is ${socket.active} (${socket.sub}): no job with a program starts`,
        `start it: sudo systemctl restart ${JOB_SOCKET_UNIT} (why it ended: journalctl -u ${JOB_SOCKET_UNIT})`,
      ),
    ];
  }
  return [jobSocket.ok(`${JOB_SOCKET_UNIT} is ${socket.sub}; systemd starts ${JOB_UNIT} for each job`)];
}

function stateOf(text: (name: string) => string): UnitState {
  return { load: text("LoadState"), active: text("ActiveState"), sub: text("SubState") };
}
