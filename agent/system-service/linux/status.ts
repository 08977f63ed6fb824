import { serviceEnvFile, hostFacts } from "../../commands/environment.ts";
import { EXIT } from "../../exit-codes.ts";
import { agentFacts, describeAgent, describeRows } from "../agent-facts.ts";
import { optionsInEffect } from "./options-in-effect.ts";
import { readUnitStatus } from "./unit-status.ts";
import type { UnitStatus } from "./unit-status.ts";
import { UNIT, UNIT_PATH } from "./unit-file.ts";

/** `bellhop-agent service status` with systemd. Returns 0 while the service runs, otherwise 69. */
export async function statusOnSystemd({ json }: { json: boolean }, say: (line: string) => void): Promise<number> {
  const unit = await readUnitStatus();
  if (unit === null || unit.load === "not-found") {
    say(json ? JSON.stringify({ installed: false }) : "not installed: bellhop-agent service install does it");
    return EXIT.unavailable;
  }
  const facts = await agentFacts(hostFacts());
  const options = await optionsInEffect(unit.user);
  if (json) say(JSON.stringify({ installed: true, unit, options, ...facts }, null, 2));
  else {
    const rows: [string, string][] = [
      ["service", describeUnit(unit)],
      ...(unit.active === "active" ? describeAgent(facts, process.getuid?.() === 0) : []),
      ["options", options.join(" ") || "none"],
      ["executable", unit.execStart],
      ["unit", UNIT_PATH],
      ["config", serviceEnvFile()],
      ["vault", facts.vaultPath ?? "not known: run this as root"],
      ["log", `journalctl -u ${UNIT}`],
    ];
    say(describeRows(rows).trimEnd());
  }
  return unit.active === "active" ? EXIT.ok : EXIT.unavailable;
}

function describeUnit({ active, sub, since, enabled, restarts, result, exitStatus, mainPid }: UnitStatus): string {
  const end = active === "failed" ? `, ended by ${result} with exit code ${exitStatus}` : "";
  const boot = enabled === "enabled" ? "starts with the system" : `does not start with the system (${enabled})`;
  const again = restarts > 0 ? `; systemd has restarted it ${restarts} times` : "";
  const process = mainPid > 0 ? `, pid ${mainPid}` : "";
  return `${active} (${sub})${since === null ? "" : ` since ${since}`}${process}${end}; ${boot}${again}`;
}
