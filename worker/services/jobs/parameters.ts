import { codeLanguage } from "../../../schema/contract/action.ts";
import type { JobParameters } from "../../../schema/contract/execution.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import { mapValues } from "../../../schema/contract/records.ts";
import { SQL_VALUE_PREFIX } from "../../../schema/contract/sql-values.ts";
import type { ActionNode } from "../../../schema/contract/workflow.ts";
import { JOB_PARAMETERS_SHOWN_MAX_BYTES } from "../../../schema/limits.ts";
import { graphsOf } from "../../domain/graph/walk.ts";
import type { JobOrder } from "../../domain/job-order.ts";
import { jsonBytes } from "../../domain/json-bytes.ts";
import { namedValuesOf } from "../../domain/render-named-values.ts";
import { hideSensitive } from "../../domain/sensitive.ts";
import { parseTemplate, templatesOf } from "../../domain/template/parse.ts";
import { findExecution, findNodeOfRun } from "../../store/execution-reads.ts";
import { findJob } from "../../store/job-reads.ts";
import { toJobOrder } from "../../store/job-order.ts";
import { findVersion } from "../../store/workflow-versions.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";

type Shown = Pick<JobParameters, "params" | "values">;

/** What a job runs: the parameters and named values of its order, without sensitive values, and cut to the limit. */
export async function getJobParameters(deps: Deps, id: string): Promise<JobParameters> {
  const row = await findJob(deps.db, id);
  if (row === null) throw notFound("job", id);
  const order = toJobOrder(row.order);
  return { id, action: order.action, target: row.target, ...withinLimit(await shownOf(deps, order)) };
}

async function shownOf(deps: Deps, order: JobOrder): Promise<Shown> {
  const { executionId, nodeRunId, params, values } = order;
  if (executionId === null || nodeRunId === null) return { params, values: { ...values } };
  const execution = await findExecution(deps.db, executionId);
  const nodeId = await findNodeOfRun(deps.db, executionId, nodeRunId);
  const version = execution === null ? null : await findVersion(deps.db, execution.versionId);
  const nodes = version === null ? [] : graphsOf(version.definition).flatMap(({ graph }) => graph.nodes);
  const node = nodes.find((one) => one.id === nodeId);
  // Without the node's templates, nothing says which texts are sensitive.
  if (execution === null || node?.type !== "action") return { params: {}, values: {} };
  const hide = (written: JsonValue | undefined, rendered: JsonValue) =>
    hideSensitive(execution.trigger, written ?? null, rendered);
  return {
    params: mapValues(params, (value, name) =>
      // The values of a statement are bound outside it.
      codeLanguage(node.action, name, node.params) === "sql" ? value : hide(node.params[name], value),
    ),
    values: mapValues(values, (value, name) => String(hide(writtenValue(node, name), value))),
  };
}

/** A named value with its templates: a member of `env` or `parameters`, or a template in a statement. */
function writtenValue({ action, params }: ActionNode, name: string): JsonValue | undefined {
  const { members } = namedValuesOf(action, params);
  if (Object.hasOwn(members, name)) return members[name];
  const statement = Object.entries(params).find(([param]) => codeLanguage(action, param, params) === "sql")?.[1];
  const templates = typeof statement === "string" ? templatesOf(parseTemplate(statement)) : [];
  const sources = [...new Set(templates.map(({ source }) => source))];
  return sources[Number(name.slice(SQL_VALUE_PREFIX.length)) - 1];
}

const CUT_FIRST_CHARS = 16_384;

/** Cuts long texts, shorter and shorter, until the whole is within the limit. */
function withinLimit(shown: Shown): Shown & { truncated: boolean } {
  if (jsonBytes({ ...shown }) <= JOB_PARAMETERS_SHOWN_MAX_BYTES) return { ...shown, truncated: false };
  for (let chars = CUT_FIRST_CHARS; chars >= 1; chars /= 2) {
    const cut = {
      params: mapValues(shown.params, (value) => cutTexts(value, chars)),
      values: mapValues(shown.values, (value) => cutText(value, chars)),
    };
    if (jsonBytes(cut) <= JOB_PARAMETERS_SHOWN_MAX_BYTES) return { ...cut, truncated: true };
  }
  return { params: {}, values: {}, truncated: true };
}

function cutTexts(value: JsonValue, chars: number): JsonValue {
  if (typeof value === "string") return cutText(value, chars);
  if (Array.isArray(value)) return value.map((member) => cutTexts(member, chars));
  return isJsonObject(value) ? mapValues(value, (member) => cutTexts(member, chars)) : value;
}

function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return `${text.slice(0, chars)}… (${text.length - chars} more characters)`;
}
