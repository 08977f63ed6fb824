import { z } from "zod";
import { FAKE_AGENT_KEY } from "../../support/fake-service.ts";
import type { AgentHome } from "../agent-process.ts";
import { runCommand } from "../command-process.ts";

const reportSchema = z.object({
  ok: z.boolean(),
  checks: z.array(z.object({ name: z.string(), status: z.string(), found: z.string(), advice: z.string().nullable() })),
});

export interface DoctorReport {
  code: number;
  /** Every check of a name as `<status> <found>. <advice>`, one per line. */
  of: (name: string) => string;
  failed: string[];
  text: string;
}

/** Runs doctor on the vault of `home`, against the deployment at `url`. */
export async function examine(home: AgentHome, url: string, env: Record<string, string> = {}): Promise<DoctorReport> {
  const { code, stdout, stderr } = await runCommand(home, ["doctor", "--json"], {
    env: { ...doctorEnvironment(url), ...env },
  });
  if (stderr !== "") throw new Error(stderr);
  const report = reportSchema.parse(JSON.parse(stdout));
  if (report.ok !== (code === 0)) throw new Error(`ok is ${report.ok}, and the exit code ${code}`);
  return {
    code,
    text: stdout,
    failed: report.checks.filter(({ status }) => status === "fail").map(({ name }) => name),
    of: (name) =>
      report.checks
        .filter((check) => check.name === name)
        .map(({ status, found, advice }) => `${status} ${found}${advice === null ? "" : `. ${advice}`}`)
        .join("\n"),
  };
}

export function doctorEnvironment(url: string): Record<string, string> {
  return { AGENT_API_URL: url, AGENT_API_KEY: FAKE_AGENT_KEY, ADMIN_PORT: "0" };
}
