import { CommandRefused } from "../../credentials/refused.ts";
import { EXIT } from "../../exit-codes.ts";
import { SYSTEMDS_UIDS } from "../../isolation/job-uids.ts";
import { JOB_USER } from "./unit-file.ts";

export const POLKIT_RULE_PATH = "/etc/polkit-1/rules.d/50-bellhop-agent.rules";

/** Sorted first, because the first rule that decides wins. */
export const JOB_POLKIT_RULE_PATH = "/etc/polkit-1/rules.d/00-bellhop-job.rules";

const UNIT_NAME = /^[A-Za-z0-9:_.@-]{1,240}$/u;
const UNIT_KIND = /\.(service|socket|timer|path)$/u;

/** Reads the values of `--allow-os-services`; `all` means every unit. Throws CommandRefused. */
export function parseAllowedUnits(values: readonly string[]): readonly string[] | "all" | null {
  if (values.length === 0) return null;
  if (values.includes("all")) {
    if (values.length === 1) return "all";
    throw usage("--allow-os-services all includes every unit: leave the other units out");
  }
  const units = values.flatMap((value) => value.split(","));
  const wrong = units.find((unit) => !UNIT_NAME.test(unit));
  if (wrong !== undefined) throw usage("--allow-os-services takes names of units, such as nginx or worker@2.service");
  return units.map((unit) => (UNIT_KIND.test(unit) ? unit : `${unit}.service`));
}

/** Allows one user to start, stop and restart units, and nothing else (polkit(8)). */
export function polkitRule(user: string, units: readonly string[] | "all"): string {
  const unit = units === "all" ? "true" : `${JSON.stringify(units)}.indexOf(action.lookup("unit")) >= 0`;
  return `// Written by bellhop-agent service install --allow-os-services; service uninstall removes it.
polkit.addRule(function (action, subject) {
  if (action.id === "org.freedesktop.systemd1.manage-units" && subject.user === ${JSON.stringify(user)} &&
      ["start", "stop", "restart"].indexOf(action.lookup("verb")) >= 0 &&
      ${unit}) {
    return polkit.Result.YES;
  }
});
`;
}

/** The units that a rule of `polkitRule` allows, as values of `--allow-os-services`. */
export function allowedUnitsIn(rule: string): string[] {
  const list = /^ +\[(.*)\]\.indexOf\(action\.lookup\("unit"\)\)/mu.exec(rule)?.[1];
  return list === undefined ? ["all"] : [...list.matchAll(/"([^"]+)"/gu)].map(([, unit = ""]) => unit);
}

/**
 * Denies jobs every action: some are open to all accounts and outlive the job (`loginctl enable-linger`). polkit knows
 * an account by its name, not by the groups of its processes; without nss-systemd by its number.
 */
export function jobPolkitRule(): string {
  return `// Written by bellhop-agent service install; service uninstall removes it. Jobs may not use the machine's services.
// Where names of such accounts do not resolve (without nss-systemd), polkit knows only a number. The rule then denies
// every service of this machine that has DynamicUser=, because systemd takes the numbers of all of them from one range.
polkit.addRule(function (action, subject) {
  var uid = Number(subject.user);
  if (/^bhjob-[0-9]+$/.test(subject.user) || subject.user === ${JSON.stringify(JOB_USER)} ||
      (uid >= ${SYSTEMDS_UIDS.first} && uid <= ${SYSTEMDS_UIDS.last})) {
    return polkit.Result.NO;
  }
});
`;
}

function usage(message: string): CommandRefused {
  return new CommandRefused(EXIT.usage, message);
}
