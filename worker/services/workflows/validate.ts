import type { AgentFeature } from "../../../schema/contract/agent.ts";
import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import { baseUrlOf, outsideProblem } from "../../../schema/contract/http-scope.ts";
import { dryRunDataSchema } from "../../../schema/contract/dry-run.ts";
import type { DryRunData, NodePreview, ValidateAnswer } from "../../../schema/contract/dry-run.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import { placeIn, targetListOf } from "../../../schema/contract/target-list.ts";
import { definitionSchema, triggerSchema } from "../../../schema/contract/workflow.ts";
import type { ActionNode, Definition, Trigger } from "../../../schema/contract/workflow.ts";
import { dryRun } from "../../domain/dry-run/index.ts";
import type { ConnectionOf, DryConnection } from "../../domain/dry-run/node.ts";
import { sampleProblems, sampleStarts, sampleTrigger } from "../../domain/dry-run/sample.ts";
import { graphsOf } from "../../domain/graph/walk.ts";
import { shownErrors } from "../../domain/shown-errors.ts";
import { featuresOf } from "../../domain/render-named-values.ts";
import { findCycles } from "../../domain/graph/cycles.ts";
import type { Steps } from "../../domain/steps.ts";
import type { ConnectionRow } from "../../store/connections.ts";
import { findConnectionsById, findWorkflowStates } from "../../store/workflow-references.ts";
import type { Deps } from "../deps.ts";
import { checkInput, invalidInput, partsOf } from "../parse.ts";
import { checkWithin } from "./check.ts";
import { inTheService, whereTheyRun } from "./dry-run-runs-on.ts";
import { resolveInputs } from "./resolve-inputs.ts";
import { withBudget } from "./with-budget.ts";

const SHOWN_NODES = 20;

/**
 * Whether a workflow can be saved, with everything that prevents it; with `sample` or `nodes`, also a preview with
 * these data. Sample data that do not fit the trigger are `invalid_request`: they are the request's problem, not the
 * workflow's. Nothing is stored, and nothing is run.
 */
export function validateWorkflow(deps: Deps, input: unknown): Promise<ValidateAnswer> {
  return withBudget((steps) => validateWithin(deps, input, steps));
}

async function validateWithin(deps: Deps, input: unknown, steps: Steps): Promise<ValidateAnswer> {
  const { sample, nodes, ...workflow } = partsOf(input);
  const given = checkInput(dryRunDataSchema, {
    ...(sample === undefined ? {} : { sample }),
    ...(nodes === undefined ? {} : { nodes }),
  });
  if (!given.ok) throw invalidInput(given.errors);
  const checked = await checkWithin(deps, isJsonObject(input) ? workflow : input, steps);
  const errors = checked.ok ? [] : shownErrors(checked.errors);
  const answer: ValidateAnswer = { valid: checked.ok, errors, warnings: [...checked.warnings] };
  if (sample === undefined && nodes === undefined) return answer;
  // A missing connection does not prevent the preview of its node; a definition without the shape of a graph does.
  const trigger = triggerSchema.safeParse(workflow["trigger"]).data;
  const definition = definitionSchema.safeParse(workflow["definition"]).data;
  if (trigger === undefined) return answer;
  if (definition !== undefined) refuseUnknownNodes(definition, given.data);
  const data = dataOf(deps, trigger, given.data);
  const shown = { ...answer, trigger: { data, starts: sampleStarts(trigger, data, steps) } };
  if (definition === undefined || !canBeFollowed(definition)) return shown;
  const connections = await connectionsOf(deps, definition);
  const connectionOf = dryConnections(connections);
  const previews = dryRun(definition, { trigger: data, nodes: given.data.nodes ?? {}, connectionOf }, steps);
  return { ...shown, preview: await placed(deps, definition, { connections, previews }) };
}

/** A result for a node that does not exist would have no effect, and no one would see why. */
function refuseUnknownNodes(definition: Definition, { nodes = {} }: DryRunData): void {
  const ids = graphsOf(definition).flatMap(({ graph }) => graph.nodes.map(({ id }) => id));
  const known = new Set(ids);
  const unknown = Object.keys(nodes).filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  const shown = ids.length > SHOWN_NODES ? [...ids.slice(0, SHOWN_NODES), "…"] : ids;
  throw invalidInput(
    unknown.map((id) => ({
      path: `nodes.${id}`,
      message: `is not a node of this workflow: use one of ${shown.join(", ")}`,
    })),
  );
}

function dataOf(deps: Deps, trigger: Trigger, { sample = {} }: DryRunData) {
  const problems = sampleProblems(trigger, sample);
  if (problems.length > 0) throw invalidInput(problems);
  return sampleTrigger(trigger, sample, variablesOf(trigger, sample.variables ?? {}), deps.now());
}

function variablesOf(trigger: Trigger, variables: JsonObject): JsonObject {
  return trigger.type === "manual" && trigger.inputs !== undefined
    ? resolveInputs(trigger.inputs, variables, "sample.variables")
    : variables;
}

/** Ids are unique in the whole definition, every edge connects two nodes of its graph, and there are no cycles. */
function canBeFollowed(definition: Definition): boolean {
  const graphs = graphsOf(definition).map(({ graph }) => graph);
  const ids = graphs.flatMap(({ nodes }) => nodes.map(({ id }) => id));
  if (new Set(ids).size !== ids.length) return false;
  return graphs.every(({ nodes, edges }) => {
    const own = new Set(nodes.map(({ id }) => id));
    return (
      edges.every(({ from, to }) => own.has(from) && own.has(to) && from !== to) &&
      findCycles(nodes, edges).length === 0
    );
  });
}

async function connectionsOf(deps: Deps, definition: Definition): Promise<ConnectionRow[]> {
  const nodes = graphsOf(definition).flatMap(({ graph }) => graph.nodes);
  const ids = nodes.flatMap((node) => (node.type === "action" ? (node.connectionId ?? []) : []));
  return ids.length === 0 ? [] : await findConnectionsById(deps.db, [...new Set(ids)]);
}

/** The targets of connections, and the agent's rule that requests stay below a connection's base URL. */
function dryConnections(connections: readonly ConnectionRow[]): ConnectionOf {
  const dry = new Map(
    connections.map(({ id, name, type, config }): [string, DryConnection] => {
      const targets = targetListOf(config);
      const parsed = type === "http" ? CONNECTION_CONFIGS.http.safeParse(config).data : undefined;
      const problemWith: DryConnection["problemWith"] = ({ action }, { url }, target) => {
        if (action !== "http.request" || parsed === undefined || typeof url !== "string") return null;
        const place = targets === null || target === null ? null : placeIn(targets, target);
        const base = baseUrlOf(parsed, place);
        return base === null ? null : outsideProblem(parsed, new URL(base), new URL(url));
      };
      return [id, { name, targets, problemWith }];
    }),
  );
  return (id) => dry.get(id) ?? null;
}

/** Adds facts from outside the definition: where actions would run, and the names of sub-workflows. */
async function placed(
  deps: Deps,
  definition: Definition,
  { connections, previews }: { connections: readonly ConnectionRow[]; previews: readonly NodePreview[] },
): Promise<NodePreview[]> {
  const nodes = graphsOf(definition).flatMap(({ graph }) => graph.nodes);
  const actionOf = new Map(nodes.flatMap((node) => (node.type === "action" ? [[node.id, node]] : [])));
  const workflowIds = nodes.flatMap((node) => (node.type === "workflow" ? [node.workflowId] : []));
  const [runsOn, workflows] = await Promise.all([
    whereTheyRun(deps, connections),
    workflowIds.length === 0 ? [] : findWorkflowStates(deps.db, [...new Set(workflowIds)]),
  ]);
  return previews.map((preview) => {
    const { action, workflow } = preview;
    if (action !== undefined) {
      const node = actionOf.get(preview.nodeId);
      const asks = node === undefined ? {} : { action: node.action, features: featuresNeeded(node, connections) };
      const place = runsOn(node?.connectionId ?? "", asks);
      const isService = action.name.startsWith("notification.");
      return { ...preview, action: { ...action, runsOn: isService ? inTheService(place) : place } };
    }
    if (workflow === undefined) return preview;
    const target = workflows.find(({ id }) => id === workflow.workflowId);
    return target === undefined
      ? preview
      : { ...preview, workflow: { ...workflow, name: target.name, published: target.published } };
  });
}

/** The order of a job has the same, and the dispatcher adds those of its connection. */
function featuresNeeded(
  { action, params, connectionId }: ActionNode,
  connections: readonly ConnectionRow[],
): AgentFeature[] {
  const config = connections.find(({ id }) => id === connectionId)?.config ?? {};
  return [...featuresOf(action, params), ...(targetListOf(config) === null ? [] : (["targets"] as const))];
}
