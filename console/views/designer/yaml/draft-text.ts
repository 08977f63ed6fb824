import type { JsonValue } from "../../../../schema/contract/json.ts";
import { workflowInputSchema } from "../../../../schema/contract/management.ts";
import { workflowFileHeadSchema } from "../../../../schema/contract/workflow-file.ts";
import type { WorkflowFileHead } from "../../../../schema/contract/workflow-file.ts";
import type { FieldError } from "../../../../schema/contract/problem.ts";
import { firstErrors } from "../../../../worker/domain/shown-errors.ts";
import { issueErrors } from "../../../../worker/domain/issue-messages.ts";
import { fileOf } from "../../../../worker/domain/workflow-file/file-of.ts";
import type { Names } from "../../../../worker/domain/workflow-file/file-of.ts";
import { readYaml } from "../../../../worker/domain/workflow-file/read-yaml.ts";
import type { Position } from "../../../../worker/domain/workflow-file/read-yaml.ts";
import { replaceReferences } from "../../../../worker/domain/workflow-file/references.ts";
import { writeYaml } from "../../../../worker/domain/workflow-file/write-yaml.ts";
import type { Draft } from "../model/commands.ts";

const NO_NAMES: Names = { connections: [], workflows: [] };

export type TextError = FieldError & Position;

export type ReadText =
  | { ok: true; draft: Draft; locate: (path: string) => Position }
  | { ok: false; errors: readonly TextError[] };

/** The draft as the file that exporting it gives, without the line for editors that have no page around them. */
export function writeDraft(draft: Draft, names: Names = NO_NAMES): string {
  return writeYaml(fileOf(draft, names));
}

/** A file as a draft, or everything that keeps it from being one, by line. Names become ids as importing makes them. */
export function readDraft(text: string, names: Names = NO_NAMES): ReadText {
  const file = readYaml(text);
  if (!file.ok) return { ok: false, errors: file.errors };
  const { value, locate } = file;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const message = "must be a workflow: apiVersion, kind, name, trigger, definition";
    return { ok: false, errors: [{ path: "", message, line: 1, column: 1 }] };
  }
  const isOfWorkflow = ([key]: [string, JsonValue]) => Object.hasOwn(workflowInputSchema.shape, key);
  const sent = Object.fromEntries(Object.entries(value).filter(isOfWorkflow));
  const sentHead = Object.fromEntries(Object.entries(value).filter((entry) => !isOfWorkflow(entry)));
  const head = workflowFileHeadSchema.safeParse(sentHead, { reportInput: true });
  const { definition } = sent;
  const input =
    definition === undefined ? sent : { ...sent, definition: withIds(definition, head.data ?? null, names) };
  const workflow = workflowInputSchema.safeParse(input, { reportInput: true });
  if (head.success && workflow.success) return { ok: true, draft: plain(workflow.data), locate };
  const errors = [
    ...(head.error === undefined
      ? []
      : firstErrors(head.error.issues, (issue) =>
          issueErrors(issue, { schema: workflowFileHeadSchema, input: sentHead }),
        )),
    ...(workflow.error === undefined
      ? []
      : firstErrors(workflow.error.issues, (issue) => issueErrors(issue, { schema: workflowInputSchema, input }))),
  ];
  return { ok: false, errors: errors.map(({ path, message }) => ({ path, message, ...locate(path) })) };
}

/** An id that is known stays; another key is looked up by what the file says of it. What is not found stays, too. */
function withIds(definition: JsonValue, head: WorkflowFileHead | null, { connections, workflows }: Names): JsonValue {
  return replaceReferences(definition, (field, id) => {
    if (field === "connectionId") {
      const told = head?.connections?.[id];
      if (told === undefined || connections.some((one) => one.id === id)) return id;
      return onlyId(connections.filter(({ name, type }) => name === told.name && type === told.type)) ?? id;
    }
    const told = head?.workflows?.[id];
    if (told === undefined || workflows.some((one) => one.id === id)) return id;
    return onlyId(workflows.filter(({ name }) => name === told.name)) ?? id;
  });
}

function onlyId([only, ...others]: readonly { id: string }[]): string | null {
  return only === undefined || others.length > 0 ? null : only.id;
}

/** Without fields that are there and hold nothing. */
function plain(draft: Draft): Draft {
  const copy: Draft = JSON.parse(JSON.stringify(draft));
  return copy;
}
