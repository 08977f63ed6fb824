import { runProgram } from "../run-program.ts";
import { UNIT } from "./unit-file.ts";

/** How systemd sees the agent's unit. */
export interface UnitStatus {
  /** `not-found` where there is no unit. */
  load: string;
  active: string;
  sub: string;
  /** 0 while there is none. */
  mainPid: number;
  /** How often systemd started it again since it was last started by hand. */
  restarts: number;
  /** The exit code, or number of the signal, of its last end. */
  exitStatus: number;
  result: string;
  enabled: string;
  /** As systemd writes times; null where it never ran. */
  since: string | null;
  execStart: string;
  /** The account that it runs as. */
  user: string;
}

/** It ends at once, and systemd starts it over and over. */
const RESTARTS_MAX = 3;

const PROPERTIES = [
  "LoadState ActiveState SubState MainPID NRestarts ExecMainStatus Result UnitFileState",
  "StateChangeTimestamp ExecStart User",
]
  .join(" ")
  .split(" ");

/** Null where no systemd answers. */
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

/** For each unit a function that gives its properties, empty where it has none of that name. Null where no systemd answers. */
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

/** Why waiting is of no use any more, as the end of a sentence; null as long as it may come up. */
export function givenUp(unit: UnitStatus | null): string | null {
  if (unit === null) return "systemd does not answer";
  if (unit.active === "failed")
    return `it has ended (${unit.result}, exit code ${unit.exitStatus}) and is not started again`;
  if (unit.restarts < RESTARTS_MAX) return null;
  return `it has ended ${unit.restarts} times (${unit.result}, exit code ${unit.exitStatus}); systemd goes on starting it`;
}

/** The last lines of its log; what journalctl says where there is none. */
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
