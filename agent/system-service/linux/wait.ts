import { EXIT } from "../../exit-codes.ts";
import { statePaths } from "../../paths.ts";
import { readStatusFile } from "../../status-file.ts";
import { givenUp, lastLogLines, readUnitStatus } from "./unit-status.ts";
import { UNIT } from "./unit-file.ts";

const WAIT_MS = 60_000;
const LOOK_MS = 250;

/** Waits until the service has registered systemd's main process. Otherwise reports why, as far as the log knows. */
export async function waitUntilRegistered(vaultPath: string, say: (line: string) => void): Promise<number> {
  const statusPath = statePaths(vaultPath).status;
  const deadline = performance.now() + WAIT_MS;
  let why = `it has not registered within ${WAIT_MS / 1_000} s, and keeps trying`;
  while (performance.now() < deadline) {
    const unit = await readUnitStatus();
    const registered = readStatusFile(statusPath);
    if (unit?.active === "active" && registered !== null && registered.pid === unit.mainPid) {
      say(`registered as ${registered.agentId}, version ${registered.version}; its log: journalctl -u ${UNIT}`);
      return EXIT.ok;
    }
    const end = givenUp(unit);
    if (end !== null) {
      why = end;
      break;
    }
    await Bun.sleep(LOOK_MS);
  }
  const lines = await lastLogLines();
  const log = lines.length === 0 ? [] : ["The last lines of its log:", ...lines.map((line) => `  ${line}`)];
  say(
    [
      `The service is installed, but ${why}.`,
      ...log,
      "bellhop-agent doctor shows the cause; afterwards: systemctl restart bellhop-agent",
    ].join("\n"),
  );
  return EXIT.unavailable;
}
