import type { ActionName } from "../../../../schema/contract/action.ts";
import type { Node, NodeType, TriggerType } from "../../../../schema/contract/workflow.ts";
import type { NodeKind } from "../../../graph/node-look.tsx";
import { freshId, kebab } from "./ids.ts";
import { designer } from "../../../strings/en/designer.ts";

const STEMS: Record<Exclude<NodeType, "action">, string> = {
  condition: "check",
  forEach: "each",
  delay: "wait",
  approval: "approve",
  workflow: "call",
  errorHandler: "on-error",
};

/** A list that the trigger is likely to have. */
const ITEMS: Record<TriggerType, string> = {
  webhook: "{{webhook.items}}",
  manual: "{{inputs.items}}",
  incident: "[]",
  cron: "[]",
  failure: "[]",
};

/** A new node from the palette, with an unused id. */
export function newNode(
  kind: NodeKind,
  taken: ReadonlySet<string>,
  trigger: TriggerType,
  connectionFor: (action: ActionName) => string | undefined = () => undefined,
): Node {
  const id = freshId(kind.type === "action" ? stemOf(kind.action) : STEMS[kind.type], taken);
  switch (kind.type) {
    case "action": {
      const { action } = kind;
      const connectionId = connectionFor(action);
      const node: Node = { id, type: "action", action, params: {}, timeoutSeconds: 300 };
      return connectionId === undefined ? node : { ...node, connectionId };
    }
    case "condition":
      return { id, type: "condition", when: { logic: "all", conditions: [] } };
    case "forEach":
      return { id, type: "forEach", items: ITEMS[trigger], body: { nodes: [], edges: [] } };
    case "delay":
      return { id, type: "delay", seconds: 60 };
    case "approval":
      return { id, type: "approval", message: designer.palette.question, by: "another" };
    case "workflow":
      return { id, type: "workflow", workflowId: "" };
    case "errorHandler":
      return { id, type: "errorHandler" };
  }
}

function stemOf(action: ActionName): string {
  const [group = "", verb = ""] = action.split(".");
  return group === "script" ? "script" : kebab(verb);
}
