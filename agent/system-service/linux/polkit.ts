import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { JOB_POLKIT_RULE_PATH, jobPolkitRule, POLKIT_RULE_PATH, polkitRule } from "./polkit-rule.ts";
import { textOf, writeAndSay } from "./write-file.ts";

/** The agent's rules by path; null: no rule at this path. */
export type PolkitRules = Readonly<Record<string, string | null>>;

/** Root needs no rule, and no rule restricts root's jobs. */
export function polkitRules(user: string, osServices: readonly string[] | "all" | null): PolkitRules {
  return {
    [POLKIT_RULE_PATH]: osServices === null || user === "root" ? null : polkitRule(user, osServices),
    [JOB_POLKIT_RULE_PATH]: user === "root" ? null : jobPolkitRule(),
  };
}

export async function applyPolkit(rules: PolkitRules, say: (line: string) => void): Promise<void> {
  for (const [path, rule] of Object.entries(rules)) {
    const existing = textOf(path);
    if (rule === existing) continue;
    const isForActions = path === POLKIT_RULE_PATH;
    if (rule === null) {
      await rm(path);
      say(`removed ${path}${isForActions ? ": os.* actions can no longer control services" : ""}`);
      continue;
    }
    const directory = dirname(path);
    if (!existsSync(directory)) {
      const warning = `warning: there is no ${directory}, so polkit may not be installed: os.* actions need it, or --user root`;
      if (isForActions) say(warning);
      await mkdir(directory, { recursive: true, mode: 0o755 });
    }
    await writeAndSay(path, rule, 0o644, say);
  }
}
