import type { Definition, ForEachNode } from "../../../../schema/contract/workflow.ts";
import type { ExecutionState } from "../../../domain/execution-state.ts";
import { failureBehind } from "../../../domain/graph/failure-behind.ts";
import type { Course } from "../../../domain/graph/failure-behind.ts";
import { renderItems } from "../../../domain/template/items.ts";
import type { Items } from "../../../domain/template/items.ts";
import { resolvePath, valuesOf } from "../../../domain/template/resolve-path.ts";
import type { PathView } from "../../../domain/template/resolve-path.ts";
import type { Resolve } from "../../../domain/template/value.ts";
import { whyEmpty } from "../../../domain/template/why-empty.ts";
import { failedBefore, failedNode } from "./error-handler.ts";
import type { Scope } from "./draft.ts";
import { readOnlyDraft } from "./read-only-draft.ts";
import { enteredBy } from "./unhandled-failure.ts";

/** The values of a node's templates. When a value is empty for a known reason, the node run gets a warning. */
export function resolverOf(scope: Scope, nodeId: string): Resolve {
  const resolve = valuesOf((path) => resolvePath(VIEW, scope, nodeId, path));
  return (path) => {
    const value = resolve(path);
    const why = value === undefined ? whyEmpty(path, resolve) : null;
    if (why !== null) scope.draft.warn(scope, nodeId, `{{${path.join(".")}}}: ${why}.`);
    return value;
  };
}

/** The values of the trigger, for a text that belongs to no node. */
export function triggerValues(definition: Definition, state: ExecutionState): Resolve {
  const { root } = readOnlyDraft(definition, state);
  return valuesOf((path) => resolvePath(VIEW, root, "", path));
}

/** The list of a forEach. The values in it no longer change, so it can be rendered again when needed. */
export function itemsOf(scope: Scope, { id, items }: ForEachNode): Items {
  const known = scope.items.get(id);
  if (known !== undefined) return known;
  const found = renderItems(items, resolverOf(scope, id));
  scope.items.set(id, found);
  return found;
}

/** The values that templates find in an execution. */
const VIEW: PathView<Scope> = {
  execution: ({ draft }) => draft.before,
  run: (scope, nodeId) => scope.run(nodeId),
  items({ parent, path }) {
    const forEach = parent?.scope.node(parent.forEachId).node;
    const items = forEach?.type === "forEach" && parent !== null ? itemsOf(parent.scope, forEach) : null;
    return { list: items?.ok === true ? items.list : null, index: path.at(-1) ?? 0 };
  },
  failureBehind(from, nodeId) {
    const failed = failureBehind(from, nodeId, ON_RECORD);
    return failed === null ? null : failedNode(failed.scope, failed.nodeId);
  },
};

const ON_RECORD: Course<Scope> = { takes: (scope, edge) => scope.takes(edge), failedBefore, enteredBy };
