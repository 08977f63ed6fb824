import { z } from "zod";
import { connectionCheckSchema } from "../../../schema/contract/agent.ts";
import type { ConnectionTest } from "../../../schema/contract/management.ts";
import { findAgent } from "../../store/agents.ts";
import type { JobRow } from "../../store/job-reads.ts";
import type { Deps } from "../deps.ts";

/** What an ended test job found, and the agent that ran it. */
export async function outcomeOfTest(deps: Deps, job: JobRow): Promise<ConnectionTest> {
  return { ...toTest(job), ...(await testerOf(deps, job)) };
}

async function testerOf(deps: Deps, { agentId }: JobRow): Promise<Pick<ConnectionTest, "agentId" | "agentName">> {
  if (agentId === null) return {};
  const agent = await findAgent(deps.db, agentId);
  return { agentId, ...(agent === null ? {} : { agentName: agent.name }) };
}

const testOutputSchema = z.object({ latencyMs: z.number(), checks: z.array(connectionCheckSchema) });

function toTest({ output, error, target, startedAt, finishedAt, reportedAt, queuedAt }: JobRow): ConnectionTest {
  const reported = testOutputSchema.safeParse(output).data;
  const endedAt = finishedAt ?? reportedAt ?? queuedAt;
  const checks = reported?.checks ?? [];
  const failed = checks.find((check) => !check.ok);
  const said = error?.message ?? (failed === undefined ? null : `${failed.name}: ${failed.detail}`);
  return {
    ok: error === null && reported !== undefined && failed === undefined,
    latencyMs: reported?.latencyMs ?? (startedAt === null ? 0 : endedAt - startedAt),
    testedAt: new Date(endedAt).toISOString(),
    ...(target === null ? {} : { target }),
    ...(said === null ? {} : { error: said }),
    checks,
  };
}
