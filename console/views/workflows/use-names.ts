import { useList } from "../../api/queries.ts";
import type { Definition, Graph } from "../../../schema/contract/workflow.ts";
import type { Names } from "./labels.ts";

const LIMIT = 200;

/** The names for a definition's ids. Workflows and limits are read only when a definition has one. */
export function useNames(definitions: readonly Definition[]): Names {
  const calls = definitions.some((definition) => callsWorkflows(definition));
  const connections = useList("/api/v1/automation/connections", { query: { limit: LIMIT } });
  const workflows = useList("/api/v1/automation/workflows", { query: { limit: LIMIT } }, { enabled: calls });
  const isLimited = definitions.some(({ limits = [] }) => limits.length > 0);
  const limits = useList("/api/v1/automation/limits", { query: { limit: LIMIT } }, { enabled: isLimited });
  return {
    connections: new Map((connections.items ?? []).map(({ id, name }) => [id, name])),
    workflows: new Map((workflows.items ?? []).map(({ id, name }) => [id, name])),
    limits: new Map((limits.items ?? []).map(({ id, name }) => [id, name])),
  };
}

function callsWorkflows({ nodes }: Graph): boolean {
  return nodes.some((node) => node.type === "workflow" || (node.type === "forEach" && callsWorkflows(node.body)));
}
