import { script } from "./script.ts";

export interface ScriptFiles {
  /** The file in which every script records its begin and end. */
  journal: string;
  /** The directory in which scripts leave marks for their next attempt. */
  marks: string;
}

export const KEY = "{{webhook.key}}";
export const SECONDS = "{{webhook.seconds | number}}";
const TIMEOUT_SECONDS = 120;

interface BashOptions {
  key?: string;
  seconds?: string;
  iteration?: string;
  /** The script's last command, after its work; its exit code is the script's. */
  last?: string;
  env?: Record<string, string>;
}

export function bash(id: string, connectionId: string, files: ScriptFiles, options: BashOptions = {}) {
  const { key = KEY, seconds: lasting = SECONDS, iteration = "", last = "", env } = options;
  const text = script({ journal: files.journal, nodeId: id, key, seconds: lasting, iteration, last });
  return {
    id,
    type: "action",
    action: "script.bash",
    connectionId,
    timeoutSeconds: TIMEOUT_SECONDS,
    params: { script: text, ...(env === undefined ? {} : { env }) },
  };
}

export function get(id: string, connectionId: string) {
  const params = { path: "/read", query: { key: KEY, node: id, seconds: SECONDS } };
  return { id, type: "action", action: "http.request", connectionId, timeoutSeconds: TIMEOUT_SECONDS, params };
}

export function update(id: string, connectionId: string) {
  const params = { ts: "1712345678.123456", text: KEY };
  return { id, type: "action", action: "chat.updateMessage", connectionId, timeoutSeconds: TIMEOUT_SECONDS, params };
}

export interface AnyNode {
  id: string;
  [field: string]: unknown;
}

/** Nodes in sequence; each begins when the one before has succeeded. */
export function chain(...nodes: AnyNode[]): { nodes: AnyNode[]; edges: unknown[] } {
  const edges = nodes.slice(1).map((node, index) => ({ from: nodes[index]?.id, to: node.id, on: "success" }));
  return { nodes, edges };
}
