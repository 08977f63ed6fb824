import { readFileSync } from "node:fs";
import { hasCode } from "../../atomic-file.ts";
import { allowedUnitsIn, POLKIT_RULE_PATH } from "./polkit-rule.ts";
import { JOB_UNIT } from "./unit-file.ts";
import { showUnits } from "./unit-status.ts";

/** The install options that the present units result from, drop-ins included, written as arguments. */
export async function optionsInEffect(user: string): Promise<string[]> {
  if (user === "root") return ["--user root"];
  const units = allowedUnits();
  const osServices = units?.map(option("allow-os-services")) ?? ["(only root can see --allow-os-services)"];
  const [job] = (await showUnits([JOB_UNIT.replace("@", "@1")], ["DynamicUser", "ReadWritePaths"])) ?? [];
  const writable = (job?.("ReadWritePaths") ?? "").split(" ").filter((path) => path !== "");
  return [
    ...(job?.("DynamicUser") === "no" ? ["--allow-sudo"] : []),
    ...osServices,
    ...writable.map((path) => path.replace(/^[-+]+/u, "")).map(option("writable")),
  ];
}

function option(name: string): (value: string) => string {
  return (value) => `--${name} ${value}`;
}

/** Null when this user may not read the rule. */
function allowedUnits(): string[] | null {
  try {
    return allowedUnitsIn(readFileSync(POLKIT_RULE_PATH, "utf8"));
  } catch (error) {
    return hasCode(error, "ENOENT") ? [] : null;
  }
}
