import { graphsOf } from "../../../worker/domain/graph/walk.ts";
import type { ActionName } from "../../../schema/contract/action.ts";
import type { AddWhere } from "./designer-context.ts";
import type { Command, Draft } from "./model/commands.ts";
import { outcomesOf } from "./model/connect.ts";
import { takeFragment, withFreshIds } from "./model/fragment.ts";
import type { Fragment } from "./model/fragment.ts";
import { nodeTitle } from "../../graph/describe-node.ts";
import { containerOf, findNode, graphIn, nodesOf, titleIn } from "./model/graph-edit.ts";
import { newNode } from "./model/new-node.ts";
import type { NodeKind } from "../../graph/node-look.tsx";
import { readFragment, writeFragment } from "./model/clipboard.ts";
import { TRIGGER_ID } from "./model/trigger.ts";
import { edgeId } from "../../graph/layout.ts";
import { NOTHING } from "./selection.ts";
import type { Selection } from "./selection.ts";
import { designer } from "../../strings/en/designer.ts";

const text = designer.commands;

interface Editing {
  draft: Draft;
  run: (command: Command) => void;
  selection: Selection;
  select: (selection: Selection) => void;
  show: (id: string) => void;
  say: (message: string) => void;
  readOnly: boolean;
  /** The connection for a new step with this action: the only one that fits. */
  connectionFor: (action: ActionName) => string | undefined;
}

/** Commands on the selection: add after it, remove, copy, paste. */
export function editing({ draft, run, selection, select, show, say, readOnly, connectionFor }: Editing) {
  const { definition, trigger } = draft;
  const ids = selection.nodes.filter((id) => id !== TRIGGER_ID);

  const add = (kind: NodeKind, where: AddWhere = {}) => {
    if (readOnly) return;
    const taken = new Set(nodesOf(definition).map(({ id }) => id));
    const node = newNode(kind, taken, trigger.type, connectionFor);
    const isPlaced = where.into !== undefined || where.at !== undefined || where.onEdge !== undefined;
    const [last] = ids.slice(-1);
    const before = isPlaced || where.after !== undefined || last === undefined ? undefined : findNode(definition, last);
    if (before !== undefined) {
      const into = containerOf(definition, before.id) ?? null;
      const outcomes = outcomesOf(before);
      const on = kind.type === "errorHandler" ? outcomes.find((one) => one === "failure") : outcomes[0];
      run({ do: "add", node, into, ...(on === undefined ? {} : { after: { from: before.id, on } }) });
      const isBehind = on !== undefined && (node.type !== "errorHandler" || on === "failure");
      say(isBehind ? text.addedAfter(node.id, nodeTitle(before)) : text.addedAlone(node.id));
    } else {
      const { into = null, ...rest } = where;
      run({ do: "add", node, into, ...rest });
      say(text.added([node.id]));
    }
    show(node.id);
  };

  const removeSelected = () => {
    if (readOnly || (ids.length === 0 && selection.edges.length === 0)) {
      if (selection.nodes.includes(TRIGGER_ID)) say(text.triggerStays);
      return;
    }
    const chosen = new Set(selection.edges);
    const edges = graphsOf(definition)
      .flatMap(({ graph }) => graph.edges)
      .filter((edge) => chosen.has(edgeId(edge)));
    const next = nextAfter(draft, ids);
    run({ do: "remove", ids, edges });
    say(ids.length === 0 ? text.removedEdge : text.removed(ids.map((id) => titleIn(definition, id))));
    if (ids.length === 0) select(NOTHING);
    else show(next);
  };

  const copy = (): Fragment | null => takeFragment(definition, ids);

  const insert = (fragment: Fragment, done: (fresh: Fragment) => string) => {
    if (readOnly) return;
    const [selected] = ids;
    const here = selected === undefined ? null : findNode(definition, selected);
    const isInFragment = fragment.nodes.some(({ id }) => id === selected);
    const into =
      here?.type === "forEach" && !isInFragment && ids.length === 1
        ? here.id
        : selected === undefined
          ? null
          : (containerOf(definition, selected) ?? null);
    const fresh = withFreshIds(fragment, new Set(nodesOf(definition).map(({ id }) => id)));
    run({ do: "paste", fragment: fresh, into });
    const [first] = fresh.nodes;
    if (first !== undefined) show(first.id);
    select({ nodes: fresh.nodes.map(({ id }) => id), edges: [] });
    say(done(fresh));
  };

  return {
    add,
    removeSelected,
    copy: (transfer: DataTransfer): boolean => {
      const fragment = copy();
      if (fragment === null) return false;
      transfer.setData("text/plain", writeFragment(fragment));
      say(text.copied(nodesOf(fragment).length));
      return true;
    },
    copySelected: () => {
      const fragment = copy();
      if (fragment === null) return;
      navigator.clipboard.writeText(writeFragment(fragment)).then(
        () => say(text.copied(nodesOf(fragment).length)),
        () => say(text.mayNotCopy),
      );
    },
    duplicateSelected: () => {
      const fragment = copy();
      if (fragment !== null) insert(fragment, ({ nodes }) => text.added(nodes.map(nodeTitle)));
    },
    paste: (pasted: string) => {
      if (readOnly) return;
      const fragment = readFragment(pasted);
      if (fragment === null) say(text.nothingToPaste);
      else insert(fragment, (fresh) => text.pasted(nodesOf(fresh).length));
    },
  };
}

/** The node to focus after nodes are removed: the predecessor of the first one, its forEach, or the trigger. */
function nextAfter({ definition }: Draft, ids: readonly string[]): string {
  const gone = new Set(ids);
  const [first = TRIGGER_ID] = ids;
  const container = containerOf(definition, first);
  const graph = container === undefined ? null : graphIn(definition, container);
  const before = graph?.edges.find(({ from, to }) => to === first && !gone.has(from));
  return (
    before?.from ?? (container === null || container === undefined || gone.has(container) ? TRIGGER_ID : container)
  );
}
