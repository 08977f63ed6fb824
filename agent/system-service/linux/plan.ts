import { serviceEnvFile } from "../../commands/environment.ts";
import { shownEnvText } from "../env-text.ts";
import { lineDiff } from "../line-diff.ts";
import type { Settings } from "../settings.ts";
import { hasSystemd } from "./no-systemd.ts";
import type { PolkitRules } from "./polkit.ts";
import { JOB_SOCKETS, JOB_USER, SERVICE_KEY_FILE, UNIT, unitPath } from "./unit-file.ts";
import { textOf } from "./write-file.ts";

/** Placeholders of a dry run for missing settings. */
export const MISSING = { url: "https://your-deployment.invalid", key: `bh${"0".repeat(10)}_${"0".repeat(43)}` };

export interface Plan {
  user: string;
  createsUser: boolean;
  createsJobUser: boolean;
  executable: { path: string; copyFrom: string | null };
  settings: Settings;
  /** By name. */
  units: Readonly<Record<string, string>>;
  polkit: PolkitRules;
}

/** A short list of what install would do, then the texts of the files. */
export function describePlan(plan: Plan, say: (line: string) => void): void {
  const { user, createsUser, createsJobUser, executable, settings, units, polkit } = plan;
  const files = [
    { path: serviceEnvFile(), mode: "0600", text: settings.text, shown: shownEnvText(settings.text) },
    ...Object.entries({
      ...polkit,
      ...Object.fromEntries(Object.entries(units).map(([name, text]) => [unitPath(name), text])),
    }).flatMap(([path, text]) => (text === null ? [] : [{ path, mode: "0644", text, shown: text }])),
  ].map((file) => ({ ...file, existing: textOf(file.path) }));
  const { apiUrl } = settings.config;
  const asked = [
    ...(apiUrl.startsWith(MISSING.url) ? ["the deployment's address (--url)"] : []),
    ...(settings.newKey === MISSING.key ? ["the agent's key (--key-file, or install asks for it)"] : []),
  ];
  if (!hasSystemd())
    say("This system does not run systemd, so install would refuse it. The plan below is for a system that does.");
  if (asked.length > 0) say(`Still missing: ${asked.join(" and ")}.`);
  say("Nothing is written. It would:");
  if (createsUser) say(`- make the user ${user}`);
  if (createsJobUser) say(`- make the user ${JOB_USER}, for jobs`);
  if (executable.copyFrom !== null) say(`- copy ${executable.copyFrom} to ${executable.path}`);
  for (const { path, mode, text, existing } of files) {
    const verb = existing === null ? "write" : existing === text ? "keep" : "change";
    say(`- ${verb} ${path} (mode ${mode})`);
  }
  if (settings.newKey !== null) say(`- write the agent's key to ${SERVICE_KEY_FILE} (mode 0400)`);
  say(`- systemctl daemon-reload, enable ${UNIT}, and restart it where something changed`);
  for (const { path, text, shown, existing } of files) {
    if (existing === text) continue;
    const isUnit = existing !== null && path !== serviceEnvFile();
    const whole = isUnit ? lineDiff(existing, text).join("\n") : shown;
    const brief = inBrief(whole);
    const abbreviated = brief === whole ? "" : `, with the list of ${JOB_SOCKETS.length} sockets abbreviated here`;
    say(`\n${path}${isUnit ? ", what changes" : ""}${abbreviated}:\n${indented(brief)}`);
  }
}

/** The unit lists all 100 sockets for jobs twice. */
function inBrief(text: string): string {
  return text.replaceAll(JOB_SOCKETS.join(" "), `${JOB_SOCKETS[0]} … ${JOB_SOCKETS.at(-1)}`);
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^(?=.)/gmu, "    ");
}
