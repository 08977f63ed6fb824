import type { Page } from "playwright-core";
import { z } from "zod";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import { newId } from "../../worker/services/ids.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { call, createWorkflow, verb } from "../support/management-api.ts";

/** A section of the overview, by its heading. */
export function section(page: Page, name: string | RegExp) {
  return page.getByRole("region", { name });
}

export function live(page: Page): Promise<void> {
  return page.getByText("Live", { exact: true }).waitFor();
}

/** What tests of the overview put on it. */
export function overviewScene(bellhop: () => Bellhop) {
  const execute = async (id: string): Promise<string> => {
    const answer = await call(bellhop(), "POST", `/workflows/${id}/execute`, {});
    const { data } = z.object({ data: triggerAnswerSchema }).parse(await answer.json());
    return data.executionId;
  };
  const published = async (name: string, node: object): Promise<string> => {
    const definition = { nodes: [node], edges: [] };
    const { id } = await createWorkflow(bellhop(), { name, trigger: { type: "manual" }, definition });
    await verb(bellhop(), id, "publish");
    return id;
  };
  const asksFor = (name: string, message: string, more: object = {}): Promise<string> =>
    published(name, { id: "ask", name: "Ask a person", type: "approval", message, ...more });
  /** Stores failed executions. */
  const fail = async (workflowId: string, startedAt: number, count: number): Promise<void> => {
    const ids = Array.from({ length: count }, (_, index) => newId("execution", startedAt + index));
    await query(
      bellhop(),
      `INSERT INTO executions (id, workflow_id, version_id, status, trigger, trigger_key, revision, started_at, finished_at)
        SELECT value, ?, 'wfv_x', 'failed', '{"type":"manual","variables":{},"by":null}', value, 1, ? + key, ? + key FROM json_each(?)`,
      [workflowId, startedAt, startedAt, JSON.stringify(ids)],
    );
  };
  return { execute, published, asksFor, fail };
}
