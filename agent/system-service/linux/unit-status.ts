import { runProgram } from "../run-program.ts";
import { UNIT } from "./unit-file.ts";

/** systemd's view of the agent's unit. */
export interface UnitStatus {
  /** `not-found` without a unit. */
  load: string;
  active: string;
  sub: string;
  /** 0 without a main process. */
  mainPid: number;
  /** How many times systemd has restarted the service since it was last started by hand. */
  restarts: number;
  /** The exit code, or number of the signal, of its last end. */
  exitStatus: number;
  result: string;
  enabled: string;
  /** In systemd's format; null when the service never ran. */
  since: string | null;
  execStart: string;
  /** The account that the service runs as. */
  user: string;
}

/** With this many restarts the service counts as failing at every start. */
const RESTARTS_MAX = 3;

const PROPERTIES = [
  "LoadState ActiveState SubState MainPID NRestarts ExecMainStatus Result UnitFileState",
  "StateChangeTimestamp ExecStart User",
]
  .join(" ")
  .split(" ");

/** Null when systemd does not answer. */
export async function readUnitStatus(unit = UNIT): Promise<UnitStatus | null> {
  const text = (await showUnits([unit], PROPERTIES))?.[0];
  if (text === undefined) return null;
  return {
    load: text("LoadState"),
    active: text("ActiveState"),
    sub: text("SubState"),
    mainPid: Number(text("MainPID")),
    restarts: Number(text("NRestarts")),
    exitStatus: Number(text("ExecMainStatus")),
    result: text("Result"),
    enabled: text("UnitFileState"),
    since: text("StateChangeTimestamp") || null,
    execStart: programOf(text("ExecStart")),
    user: text("User") || "root",
  };
}

/** For each unit a function that returns its properties, empty for an unset one. Null when systemd does not answer. */
export async function showUnits(
  units: readonly string[],
  properties: readonly string[],
): Promise<((name: string) => string)[] | null> {
  const { code, stdout } = await runProgram("systemctl", ["show", ...units, `--property=${properties.join(",")}`]);
  if (code !== 0) return null;
  return stdout
    .trimEnd()
    .split("\n\n")
    .map((block) => {
      const values = new Map(
        block.split("\n").map((line): [string, string] => {
          const equals = line.indexOf("=");
          return [line.slice(0, Math.max(0, equals)), line.slice(equals + 1)];
        }),
      );
      return (name) => values.get(name) ?? "";
    });
}

/** The program in the property ExecStart. */
export function programOf(execStart: string): string {
  return /\bpath=(\S+) ;/u.exec(execStart)?.[1] ?? "";
}

/** Why the service will not come up, as the end of a sentence; null while it still may. */
export function givenUp(unit: UnitStatus | null): string | null {
  if (unit === null) return "systemd does not answer";
  if (unit.active === "failed")
    return `it has ended (${unit.result}, exit code ${unit.exitStatus}) and is not started again`;
  if (unit.restarts < RESTARTS_MAX) return null;
  return `it has ended ${unit.restarts} times (${unit.result}, exit code ${unit.exitStatus}); systemd keeps starting it`;
}

/** The last lines of the service's log, or journalctl's message when there is none. */
export async function lastLogLines(count = 15): Promise<string[]> {
  const { stdout } = await runProgram("journalctl", [
    "--unit",
    UNIT,
    "--lines",
    String(count),
    "--output",
    "cat",
    "--no-pager",
    "--quiet",
  ]);
  return stdout
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "");
}
