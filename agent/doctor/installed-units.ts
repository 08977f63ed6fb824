import { hasSystemd } from "../system-service/linux/no-systemd.ts";
import { JOB_SOCKET_UNIT, JOB_SOCKETS, JOB_UNIT, UNIT } from "../system-service/linux/unit-file.ts";
import { programOf, showUnits } from "../system-service/linux/unit-status.ts";
import type { Check } from "./check.ts";
import { checksNamed } from "./check.ts";

/** The units of the installed service as systemd loaded them, drop-ins included. */
export interface InstalledUnits {
  /** The agent's account. */
  user: string;
  executable: string;
  /** Whether jobs run behind the socket, not in the agent's own unit. */
  usesSocket: boolean;
  sockets: UnitState[];
  job: UnitState;
  /** The unit files and their drop-ins. */
  files: string[];
}

interface UnitState {
  name: string;
  load: string;
  active: string;
  sub: string;
}

const PROPERTIES = "LoadState ActiveState SubState User Environment ExecStart FragmentPath DropInPaths".split(" ");
/** systemd shows a template only through an instance. */
const ANY_JOB = JOB_UNIT.replace("@", "@1");
const jobSocket = checksNamed("job socket");

/** Null without systemd or without an installed service. */
export async function readInstalledUnits(): Promise<InstalledUnits | null> {
  if (!hasSystemd()) return null;
  const [agent, job, ...sockets] = (await showUnits([UNIT, ANY_JOB, ...JOB_SOCKETS], PROPERTIES)) ?? [];
  if (agent === undefined || job === undefined || agent("LoadState") !== "loaded") return null;
  return {
    user: agent("User") || "root",
    executable: programOf(agent("ExecStart")),
    usesSocket: /(?:^|[ "])JOB_SOCKET=/u.test(agent("Environment")),
    sockets: sockets.map((socket, index) => stateOf(JOB_SOCKETS[index] ?? JOB_SOCKET_UNIT, socket)),
    job: stateOf(JOB_UNIT, job),
    files: [
      ...new Set(
        [agent, job, ...sockets].flatMap((text) =>
          [text("FragmentPath"), ...text("DropInPaths").split(" ")].filter((path) => path !== ""),
        ),
      ),
    ],
  };
}

/** Without the sockets the agent runs, but no job can start a program. */
export function checkJobSocket({ usesSocket, sockets, job }: InstalledUnits): Check[] {
  if (!usesSocket) return [];
  const checks = [{ ...sockets[0], name: JOB_SOCKET_UNIT }, job]
    .filter(({ load }) => load !== "loaded")
    .map(({ name, load = "not-found" }) =>
      jobSocket.fail(
        `${UNIT} needs ${name}, which is ${load}: jobs that start a program fail`,
        "write it again: sudo bellhop-agent service install",
      ),
    );
  if (checks.length > 0) return checks;
  const down = sockets.filter(({ active }) => active !== "active");
  const [first] = down;
  if (first === undefined) {
    return [jobSocket.ok(`${sockets.length} of ${JOB_SOCKET_UNIT} listen; systemd starts ${JOB_UNIT} for each job`)];
  }
  const advice = `start them: sudo systemctl restart ${UNIT} (why one ended: journalctl -u ${first.name})`;
  if (down.length < sockets.length) {
    const found = `${down.length} of ${sockets.length} sockets for jobs do not listen, for example ${first.name} (${first.active})`;
    return [jobSocket.warn(found, advice)];
  }
  return [
    jobSocket.fail(
      `all of ${JOB_SOCKET_UNIT} are ${first.active} (${first.sub}): jobs that start a program fail`,
      advice,
    ),
  ];
}

function stateOf(name: string, text: (property: string) => string): UnitState {
  return { name, load: text("LoadState"), active: text("ActiveState"), sub: text("SubState") };
}
