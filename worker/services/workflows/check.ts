import { z } from "zod";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import { mistakeIn } from "../../../schema/contract/connection.ts";
import { concurrencySchema } from "../../../schema/contract/concurrency.ts";
import { workflowLimitSchema } from "../../../schema/contract/limit-group.ts";
import { workflowInputSchema } from "../../../schema/contract/management.ts";
import type { WorkflowInput } from "../../../schema/contract/management.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { workflowDraftSchema } from "../../../schema/contract/save-workflow.ts";
import { targetListOf } from "../../../schema/contract/target-list.ts";
import { triggerSchema } from "../../../schema/contract/workflow.ts";
import type { Definition, Trigger } from "../../../schema/contract/workflow.ts";
import { LIMITS_OF_WORKFLOW_MAX } from "../../../schema/limits.ts";
import { checkTrigger } from "../../domain/check-trigger.ts";
import { concurrencyProblems } from "../../domain/graph/concurrency.ts";
import { checkDefinition, underPath } from "../../domain/graph/check-definition.ts";
import type { GraphLookup } from "../../domain/graph/lookup.ts";
import type { Findings } from "../../domain/graph/check-code-param.ts";
import { checkLimits } from "../../domain/graph/limits.ts";
import { workflowLimitProblems } from "../../domain/graph/workflow-limits.ts";
import { connectionsNamedBy, graphsOf } from "../../domain/graph/walk.ts";
import { withKnownLayout } from "../../domain/definition-layout.ts";
import { incidentConditionProblems } from "../../domain/incident/conditions.ts";
import { SHOWN_ERRORS, countErrors, shownErrors } from "../../domain/shown-errors.ts";
import type { Steps } from "../../domain/steps.ts";
import { findConnectionFacts } from "../../store/connections.ts";
import { findLimitGroupsNamed } from "../../store/limit-groups.ts";
import { findPublishedVersions } from "../../store/workflow-versions.ts";
import { findUsers } from "../../store/users.ts";
import { findWorkflowNames } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { checkInput, invalidInput, parseInput, partsOf } from "../parse.ts";
import type { Checked } from "../parse.ts";
import { inputProblems } from "./check-inputs.ts";
import { fillConditions } from "./fill-conditions.ts";
import { fillForValidation } from "./fill-for-validation.ts";
import { withBudget } from "./with-budget.ts";

const DEFINITION = "definition.";
const draftFlagSchema = z.boolean().optional();
/** A trigger of every type; the check of the graph uses the type alone. */
const ANY_TRIGGER: readonly Trigger[] = [
  { type: "webhook" },
  { type: "manual" },
  { type: "incident", events: ["incident.created"] },
  { type: "cron", expression: "* * * * *" },
  { type: "failure" },
];

/** A checked workflow, with warnings about possible mistakes. */
export type CheckedWorkflow = Checked<WorkflowInput> & { warnings: readonly FieldError[] };

/** A workflow that can be saved. */
export interface ParsedWorkflow {
  workflow: WorkflowInput;
  /** The caller stores the workflow even with problems. */
  isDraft: boolean;
  /** None, unless `isDraft`. */
  problems: readonly FieldError[];
  warnings: readonly FieldError[];
}

/** The body of a save: a workflow without problems, or with `draft: true` also one with problems. */
export async function parseSave(deps: Deps, input: unknown): Promise<ParsedWorkflow> {
  const { draft, ...sent } = partsOf(input);
  const flag = checkInput(draftFlagSchema, draft, ["draft"]);
  if (flag.ok && flag.data === true) return parseDraft(deps, sent);
  const checked = await checkWorkflow(deps, isJsonObject(input) ? sent : input);
  if (!flag.ok || !checked.ok) throw invalidInput([...(flag.ok ? [] : flag.errors), ...problemsOf(checked)]);
  return { workflow: checked.data, isDraft: false, problems: [], warnings: checked.warnings };
}

/** A workflow without problems, the only kind that is published. Throws `invalid_request` with every problem. */
export async function parseComplete(deps: Deps, input: unknown) {
  const checked = await checkWorkflow(deps, input);
  if (!checked.ok) throw invalidInput(checked.errors);
  return { workflow: checked.data, warnings: checked.warnings };
}

/** Throws `invalid_request` for a shape that no draft has, and beyond the limits of its size. */
async function parseDraft(deps: Deps, sent: unknown): Promise<ParsedWorkflow> {
  const workflow = parseInput(workflowDraftSchema, sent);
  const tooLarge = checkLimits(workflow.definition);
  if (tooLarge.length > 0) throw invalidInput(tooLarge.map((problem) => underPath(problem, DEFINITION)));
  const checked = await checkWorkflow(deps, sent);
  const { warnings } = checked;
  if (checked.ok) return { workflow: checked.data, isDraft: true, problems: [], warnings };
  // A fix belongs to the checked text; the stored problems may be read much later.
  const problems = shownErrors(checked.errors).map(({ path, message }) => ({ path, message }));
  const definition = withKnownLayout(workflow.definition);
  return { workflow: { ...workflow, definition }, isDraft: true, problems, warnings };
}

function problemsOf(checked: CheckedWorkflow): readonly FieldError[] {
  return checked.ok ? [] : checked.errors;
}

/**
 * Every problem of the shape, of the trigger's inputs and of the graph, each with its path. A part of the wrong shape
 * does not hide problems of the others. Throws `too_complex` beyond the budget of a check.
 */
export function checkWorkflow(deps: Deps, input: unknown): Promise<CheckedWorkflow> {
  return withBudget((steps) => checkWithin(deps, input, steps));
}

/** Throws `TooComplex`. */
export async function checkWithin(deps: Deps, input: unknown, steps: Steps): Promise<CheckedWorkflow> {
  const whole = checkInput(workflowInputSchema, input);
  // An answer shows no more errors than these.
  if (!whole.ok && countErrors(whole.errors) >= SHOWN_ERRORS) return { ...whole, warnings: [] };
  const sent = partsOf(input);
  const trigger = triggerSchema.safeParse(sent["trigger"]).data;
  const graph = await checkGraph(deps, sent["definition"], trigger, steps);
  const errors = [
    ...(whole.ok ? [] : whole.errors),
    ...(trigger === undefined ? conditionProblems(sent["trigger"], steps) : triggerProblems(trigger, steps)),
    ...concurrencyErrors(sent["definition"], trigger, steps),
    ...(await limitErrors(deps, sent["definition"], trigger, steps)),
    ...graph.problems,
  ];
  const { warnings } = graph;
  if (!whole.ok || errors.length > 0) return { ok: false, errors, warnings };
  return { ok: true, data: { ...whole.data, definition: withKnownLayout(whole.data.definition) }, warnings };
}

async function checkGraph(deps: Deps, sent: unknown, trigger: Trigger | undefined, steps: Steps): Promise<Findings> {
  const filled = fillForValidation(sent);
  if (filled === null) return { problems: [], warnings: [] };
  const { definition, isMade } = filled;
  const triggers = trigger === undefined ? ANY_TRIGGER : [trigger];
  const found = check(definition, triggers, await lookupFor(deps, definition), steps);
  return { ...found, problems: found.problems.filter(({ path }) => !isMade(path.slice(DEFINITION.length))) };
}

/** Paths are below `definition`. */
function check(definition: Definition, triggers: readonly Trigger[], lookup: GraphLookup, steps: Steps): Findings {
  const { problems, warnings } = checkDefinition(definition, triggers, lookup, steps);
  const below = (error: FieldError) => underPath(error, DEFINITION);
  return { problems: problems.map(below), warnings: shownErrors(warnings.map(below)) };
}

async function lookupFor(deps: Deps, definition: Definition): Promise<GraphLookup> {
  const nodes = graphsOf(definition).flatMap(({ graph }) => graph.nodes);
  const connectionIds = nodes.flatMap((node) => (node.type === "action" ? connectionsNamedBy(node) : []));
  const workflowIds = nodes.flatMap((node) => (node.type === "workflow" ? [node.workflowId] : []));
  const people = nodes.flatMap((node) => (node.type === "approval" ? (node.approvers?.people ?? []) : []));
  const [connections, workflows, versions, users] = await Promise.all([
    connectionIds.length === 0 ? [] : findConnectionFacts(deps.db, [...new Set(connectionIds)]),
    workflowIds.length === 0 ? [] : findWorkflowNames(deps.db, [...new Set(workflowIds)]),
    workflowIds.length === 0 ? [] : findPublishedVersions(deps.db, [...new Set(workflowIds)]),
    people.length === 0 ? [] : findUsers(deps.db, [...new Set(people)]),
  ]);
  const connectionById = new Map(
    connections.map(({ config, ...facts }) => {
      const mistake = mistakeIn({ type: facts.type, config });
      return [facts.id, { ...facts, targets: targetListOf(config), mistake }];
    }),
  );
  const inputsById = new Map(
    versions.map(({ workflowId, trigger }) => [workflowId, trigger.type === "manual" ? trigger.inputs : undefined]),
  );
  const workflowById = new Map(workflows.map(({ id, name }) => [id, { name, inputs: inputsById.get(id) ?? null }]));
  const userIds = new Set(users.map(({ id }) => id));
  return {
    connection: (id) => connectionById.get(id) ?? null,
    workflow: (id) => workflowById.get(id) ?? null,
    person: (id) => userIds.has(id),
  };
}

function triggerProblems(trigger: Trigger, steps: Steps): FieldError[] {
  const own = checkTrigger(trigger, steps).map(({ path, message }) => ({ path: `trigger.${path}`, message }));
  return [...inputProblems(trigger), ...own];
}

function concurrencyErrors(sent: unknown, trigger: Trigger | undefined, steps: Steps): FieldError[] {
  const { data } = concurrencySchema.safeParse(partsOf(sent)["concurrency"]);
  if (data === undefined) return [];
  return concurrencyProblems(data, trigger, steps).map((error) => underPath(error, `${DEFINITION}concurrency.`));
}

async function limitErrors(
  deps: Deps,
  sent: unknown,
  trigger: Trigger | undefined,
  steps: Steps,
): Promise<FieldError[]> {
  const { limits } = partsOf(sent);
  if (!Array.isArray(limits) || limits.length === 0 || limits.length > LIMITS_OF_WORKFLOW_MAX) return [];
  const entries = limits.map((limit: unknown) => workflowLimitSchema.safeParse(limit).data ?? null);
  const ids = entries.flatMap((limit) => limit?.groupId ?? []);
  const known = new Set((await findLimitGroupsNamed(deps.db, ids, [])).map(({ id }) => id));
  return workflowLimitProblems(entries, (id) => known.has(id), trigger, steps).map((error) =>
    underPath(error, `${DEFINITION}limits.`),
  );
}

/** Problems with the conditions of a trigger whose shape is wrong. */
function conditionProblems(sent: unknown, steps: Steps): FieldError[] {
  const { type, conditions } = partsOf(sent);
  const group = type === "incident" ? fillConditions(conditions) : null;
  return group === null ? [] : incidentConditionProblems(group, "trigger.conditions", steps);
}
