import { CommandRefused } from "../../credentials/refused.ts";
import { EXIT } from "../../exit-codes.ts";

export const POLKIT_RULE_PATH = "/etc/polkit-1/rules.d/50-bellhop-agent.rules";

const UNIT_NAME = /^[A-Za-z0-9:_.@-]{1,240}$/u;
const UNIT_KIND = /\.(service|socket|timer|path)$/u;

/** Reads the values of `--allow-os-services`; `all` is every unit. Throws CommandRefused. */
export function parseAllowedUnits(values: readonly string[]): readonly string[] | "all" | null {
  if (values.length === 0) return null;
  if (values.includes("all")) {
    if (values.length === 1) return "all";
    throw usage("--allow-os-services all stands alone");
  }
  const units = values.flatMap((value) => value.split(","));
  const wrong = units.find((unit) => !UNIT_NAME.test(unit));
  if (wrong !== undefined) throw usage("--allow-os-services takes names of units, such as nginx or worker@2.service");
  return units.map((unit) => (UNIT_KIND.test(unit) ? unit : `${unit}.service`));
}

/** Lets one user start, stop and restart units, and nothing else (polkit(8)). */
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

function usage(message: string): CommandRefused {
  return new CommandRefused(EXIT.usage, message);
}
