import { workflowInputSchema } from "../../../schema/contract/management.ts";
import type { WorkflowInput } from "../../../schema/contract/management.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { triggerSchema } from "../../../schema/contract/workflow.ts";
import type { Definition, Trigger } from "../../../schema/contract/workflow.ts";
import { checkTrigger } from "../../domain/check-trigger.ts";
import { checkDefinition } from "../../domain/graph.ts";
import type { GraphLookup } from "../../domain/graph.ts";
import { connectionsNamedBy, graphsOf } from "../../domain/graph/walk.ts";
import { withKnownLayout } from "../../domain/definition-layout.ts";
import { incidentConditionProblems } from "../../domain/incident/conditions.ts";
import { findConnectionFacts } from "../../store/connections.ts";
import { findPublishedVersions } from "../../store/workflow-versions.ts";
import { findWorkflowNames } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { checkInput, invalidInput, partsOf } from "../parse.ts";
import type { Checked } from "../parse.ts";
import { inputProblems } from "./check-inputs.ts";
import { mendConditions } from "./mend-conditions.ts";
import { mendDefinition } from "./mend-definition.ts";

/** A trigger of every type; the graph's check looks at the type alone. */
const ANY_TRIGGER: readonly Trigger[] = [
  { type: "webhook" },
  { type: "manual" },
  { type: "incident", events: ["incident.created"] },
  { type: "cron", expression: "* * * * *" },
];

/** A workflow that can be saved, or `invalid_request` with everything that is wrong with it. */
export async function parseWorkflow(deps: Deps, input: unknown): Promise<WorkflowInput> {
  const checked = await checkWorkflow(deps, input);
  if (!checked.ok) throw invalidInput(checked.errors);
  return checked.data;
}

/** The draft of a workflow, looked at again: what it names may have gone since it was saved. */
export async function checkDraft(deps: Deps, trigger: Trigger, definition: Definition): Promise<void> {
  const problems = [
    ...triggerProblems(trigger),
    ...checkDefinition(definition, trigger, await lookupFor(deps, definition)).map(inDefinition),
  ];
  if (problems.length > 0) throw invalidInput(problems);
}

/**
 * Every problem at once, each with its path: of the shape, of the trigger's inputs and of the graph. A part of the
 * wrong shape does not keep the problems of the others back.
 */
export async function checkWorkflow(deps: Deps, input: unknown): Promise<Checked<WorkflowInput>> {
  const whole = checkInput(workflowInputSchema, input);
  const sent = partsOf(input);
  const trigger = triggerSchema.safeParse(sent["trigger"]).data;
  const errors = [
    ...(whole.ok ? [] : whole.errors),
    ...(trigger === undefined ? conditionProblems(sent["trigger"]) : triggerProblems(trigger)),
    ...(await graphProblems(deps, sent["definition"], trigger)),
  ];
  if (!whole.ok || errors.length > 0) return { ok: false, errors };
  return { ok: true, data: { ...whole.data, definition: withKnownLayout(whole.data.definition) } };
}

async function graphProblems(deps: Deps, sent: unknown, trigger: Trigger | undefined): Promise<FieldError[]> {
  const mended = mendDefinition(sent);
  if (mended === null) return [];
  const { definition, isMade } = mended;
  const lookup = await lookupFor(deps, definition);
  const [first = [], ...others] = (trigger === undefined ? ANY_TRIGGER : [trigger]).map((trigger) =>
    checkDefinition(definition, trigger, lookup),
  );
  const keyOf = ({ path, message }: FieldError) => `${path}\n${message}`;
  const inOthers = others.map((problems) => new Set(problems.map(keyOf)));
  return first
    .filter((problem) => inOthers.every((keys) => keys.has(keyOf(problem))))
    .filter(({ path }) => !isMade(path))
    .map(inDefinition);
}

async function lookupFor(deps: Deps, definition: Definition): Promise<GraphLookup> {
  const nodes = graphsOf(definition).flatMap(({ graph }) => graph.nodes);
  const connectionIds = nodes.flatMap((node) => (node.type === "action" ? connectionsNamedBy(node) : []));
  const workflowIds = nodes.flatMap((node) => (node.type === "workflow" ? [node.workflowId] : []));
  const [connections, workflows, versions] = await Promise.all([
    connectionIds.length === 0 ? [] : findConnectionFacts(deps.db, [...new Set(connectionIds)]),
    workflowIds.length === 0 ? [] : findWorkflowNames(deps.db, [...new Set(workflowIds)]),
    workflowIds.length === 0 ? [] : findPublishedVersions(deps.db, [...new Set(workflowIds)]),
  ]);
  const connectionById = new Map(connections.map((connection) => [connection.id, connection]));
  const inputsById = new Map(
    versions.map(({ workflowId, trigger }) => [workflowId, trigger.type === "manual" ? trigger.inputs : undefined]),
  );
  const workflowById = new Map(workflows.map(({ id, name }) => [id, { name, inputs: inputsById.get(id) ?? null }]));
  return {
    connection: (id) => connectionById.get(id) ?? null,
    workflow: (id) => workflowById.get(id) ?? null,
  };
}

function triggerProblems(trigger: Trigger): FieldError[] {
  const own = checkTrigger(trigger).map(({ path, message }) => ({ path: `trigger.${path}`, message }));
  return [...inputProblems(trigger), ...own];
}

/** Of a trigger whose shape is wrong: its conditions, as far as they are any. */
function conditionProblems(sent: unknown): FieldError[] {
  const { type, conditions } = partsOf(sent);
  const group = type === "incident" ? mendConditions(conditions) : null;
  return group === null ? [] : incidentConditionProblems(group, "trigger.conditions");
}

function inDefinition({ path, message }: FieldError): FieldError {
  return { path: `definition.${path}`, message };
}
