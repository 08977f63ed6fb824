import type { Check } from "./check.ts";
import { failed } from "./check.ts";

/** One line for each check, and a summary. */
export function describeChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.map(
    ({ name, status, found, advice }) =>
      `${status.padEnd(4)}  ${name.padEnd(width)}  ${sentence(advice === null ? found : `${found.replace(/\.+$/u, "")}. ${capital(advice)}`)}`,
  );
  return [...lines, "", summary(checks), ""].join("\n");
}

/** `--json`: the same as one object. */
export function checksAsJson(checks: readonly Check[], { version, now }: { version: string; now: number }): string {
  const report = { ok: !failed(checks), at: new Date(now).toISOString(), version, checks };
  return `${JSON.stringify(report, null, 2)}\n`;
}

function summary(checks: readonly Check[]): string {
  const count = (status: Check["status"]) => checks.filter((check) => check.status === status).length;
  const [fails, warnings] = [count("fail"), count("warn")];
  const warned = warnings === 0 ? "" : `${warnings} ${warnings === 1 ? "warning" : "warnings"}`;
  if (fails === 0) return `Nothing failed${warned === "" ? "" : `, ${warned}`}.`;
  return `${fails} failed${warned === "" ? "" : `, ${warned}`}: the lines above say what to do.`;
}

function capital(text: string): string {
  return /^[a-z]+(?:[ ,:]|$)/u.test(text) ? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}` : text;
}

/** One line with a full stop, even for multi-line text from outside. */
function sentence(text: string): string {
  // oxlint-disable-next-line no-control-regex -- finds control characters
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/gu, " ").trimEnd();
  return /[.!?]$/u.test(line) ? line.replace(/\.+$/u, ".") : `${line}.`;
}
