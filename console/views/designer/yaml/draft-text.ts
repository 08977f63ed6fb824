import type { JsonValue } from "../../../../schema/contract/json.ts";
import { workflowDraftSchema } from "../../../../schema/contract/save-workflow.ts";
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
import { designerSaving } from "../../../strings/en/designer-saving.ts";

const NO_NAMES: Names = { connections: [], workflows: [], limits: [] };

export type TextError = FieldError & Position;

export type ReadText =
  | { ok: true; draft: Draft; locate: (path: string) => Position }
  | { ok: false; errors: readonly TextError[] };

/** The draft as its exported file, without the line that links the file's schema for other editors. */
export function writeDraft(draft: Draft, names: Names = NO_NAMES): string {
  return writeYaml(fileOf(draft, names));
}

/** A file as a draft, which may have problems, or its errors by line. Names become ids as in an import. */
export function readDraft(text: string, names: Names = NO_NAMES): ReadText {
  const file = readYaml(text);
  if (!file.ok) return { ok: false, errors: file.errors };
  const { value, locate } = file;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const message = designerSaving.yaml.notAWorkflow;
    return { ok: false, errors: [{ path: "", message, line: 1, column: 1 }] };
  }
  const isOfWorkflow = ([key]: [string, JsonValue]) => Object.hasOwn(workflowDraftSchema.shape, key);
  const sent = Object.fromEntries(Object.entries(value).filter(isOfWorkflow));
  const sentHead = Object.fromEntries(Object.entries(value).filter((entry) => !isOfWorkflow(entry)));
  const head = workflowFileHeadSchema.safeParse(sentHead, { reportInput: true });
  const { definition } = sent;
  const input =
    definition === undefined ? sent : { ...sent, definition: withIds(definition, head.data ?? null, names) };
  const workflow = workflowDraftSchema.safeParse(input, { reportInput: true });
  if (head.success && workflow.success) return { ok: true, draft: plain(workflow.data), locate };
  const errors = [
    ...(head.error === undefined
      ? []
      : firstErrors(head.error.issues, (issue) =>
          issueErrors(issue, { schema: workflowFileHeadSchema, input: sentHead }),
        )),
    ...(workflow.error === undefined
      ? []
      : firstErrors(workflow.error.issues, (issue) => issueErrors(issue, { schema: workflowDraftSchema, input }))),
  ];
  return { ok: false, errors: errors.map(({ path, message }) => ({ path, message, ...locate(path) })) };
}

/** Keeps known ids. Looks other keys up by the name and type in the file's head; a key that is not found stays. */
function withIds(definition: JsonValue, head: WorkflowFileHead | null, names: Names): JsonValue {
  const { connections, workflows, limits } = names;
  return replaceReferences(definition, (field, id) => {
    if (field === "connectionId") {
      const named = head?.connections?.[id];
      if (named === undefined || connections.some((one) => one.id === id)) return id;
      return onlyId(connections.filter(({ name, type }) => name === named.name && type === named.type)) ?? id;
    }
    const [known, inHead] = field === "workflowId" ? [workflows, head?.workflows] : [limits, head?.limits];
    const named = inHead?.[id];
    if (named === undefined || known.some((one) => one.id === id)) return id;
    return onlyId(known.filter(({ name }) => name === named.name)) ?? id;
  });
}

function onlyId([only, ...others]: readonly { id: string }[]): string | null {
  return only === undefined || others.length > 0 ? null : only.id;
}

/** Without fields that are undefined. */
function plain(draft: Draft): Draft {
  const copy: Draft = JSON.parse(JSON.stringify(draft));
  return copy;
}
