import { isActionName } from "../../../../schema/contract/action.ts";
import { OUTCOMES } from "../../../graph/outcome-look.ts";
import type { NodeKind } from "../../../graph/node-look.tsx";

/** The data type of a palette item while it is dragged. */
export const DRAGGED_KIND = "application/x-bellhop-node";

export function writeKind(transfer: DataTransfer, kind: NodeKind): void {
  transfer.setData(DRAGGED_KIND, kind.type === "action" ? kind.action : kind.type);
  transfer.effectAllowed = "copy";
}

export function readKind(transfer: DataTransfer): NodeKind | null {
  const name = transfer.getData(DRAGGED_KIND);
  if (isActionName(name)) return { type: "action", action: name };
  const isType = (text: string): text is Exclude<NodeKind["type"], "action"> =>
    text !== "action" && Object.hasOwn(OUTCOMES, text);
  return isType(name) ? { type: name } : null;
}
