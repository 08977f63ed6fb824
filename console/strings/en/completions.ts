import type { FAILED_FIELDS } from "../../../worker/domain/failed-execution.ts";
import type { INCIDENT_FIELDS } from "../../../worker/domain/incident/fields.ts";
import type { FilterName } from "../../../worker/domain/template/filters.ts";

/** Short descriptions of the paths and filters that an editor offers for templates. */
export const completions = {
  // Outputs of steps.
  from: (output: string, step: string) => `${output}, from ${step}`,
  output: (step: string) => `the whole output of ${step}`,
  exitCode: (step: string) => `the exit code of ${step}`,
  status: (step: string) => `the status of ${step}: succeeded, failed, skipped …`,
  forEach: {
    results: "the output of each item, in order",
    total: "the number of items",
    succeeded: "the number of items that succeeded",
    failed: "the number of items that failed",
    notStarted: "the number of items that were not started",
  },
  approval: {
    decision: "approved, rejected or expired",
    by: "the person who answered",
    comment: "the comment on the answer",
    at: "the time of the answer",
    message: "the question",
  },
  workflow: {
    outputs: "the outputs of its last steps, by id",
    status: "the status of its run",
    executionId: "the id of its run",
  },

  // The failure that an error handler handles.
  error: {
    message: "the error message",
    code: "the error code",
    nodeId: "the id of the failed step",
    actionType: "the action of the failed step",
    status: "failed, timed_out or cancelled",
    exitCode: "the exit code, if there is one",
    statusCode: "the HTTP status, if there is one",
    output: "the output of the failed step",
  },

  // Inside a forEach.
  item: (forEach: string) => `the current item of ${forEach}`,
  index: (forEach: string) => `the position of the item in ${forEach}, from 0`,
  total: (forEach: string) => `the number of items of ${forEach}`,

  // Data of the trigger.
  scheduledAt: "the scheduled time, in ISO 8601",
  input: (type: string) => `an input of type ${type}`,
  fromSample: "from sample data",
  used: "used in this workflow",
  triggerData: "all data of the trigger",
  request: "from the request",
  tag: (name: string) => `the tag ${name}`,
  tags: "all tags",
  batch: "the events that joined this run",
  incident: {
    severity: "critical, high, medium or low",
    status: "triggered, acknowledged or resolved",
    service: "the affected service",
    source: "the source of the alert",
    host: "the affected host",
    teamId: "the assigned team",
    id: "the id of the incident",
    title: "the title",
    description: "the text of the alert",
    assignedTo: "the assignee",
    createdAt: "the creation time, in ISO 8601",
    eventType: "the event that started the run",
  } satisfies Record<(typeof INCIDENT_FIELDS)[number], string>,
  failed: {
    executionId: "the id of the failed run",
    key: "what it was about, such as a service: its key",
    "workflow.id": "the id of its workflow",
    "workflow.name": "the name of its workflow",
    "workflow.tags": "the tags of its workflow",
    status: "failed or timed_out",
    "error.code": "the error code",
    "error.message": "the error message",
    "node.id": "the id of the failed step",
    "node.name": "the name of the failed step",
    "trigger.type": "what started it: webhook, cron, incident or manual",
    startedAt: "its start, in ISO 8601",
    endedAt: "its end, in ISO 8601",
    url: "its page in the console",
    incident: "its incident, if an incident started it",
  } satisfies Record<keyof typeof FAILED_FIELDS, string>,
  ofIncident: (what: string) => `${what}, of its incident`,

  filters: {
    default: "a fallback for an empty value",
    trim: "without spaces and line breaks at both ends",
    json: "as JSON",
    lower: "in lower case",
    upper: "in upper case",
    lines: "a text as a list of its lines",
    split: "a text as a list, split at a separator",
    join: "a list as one text, with a separator",
    first: "the first item of a list",
    last: "the last item of a list",
    int: "a whole number, or the step fails",
    number: "a number, or the step fails",
    bool: "true or false, or the step fails",
    name: "a plain name, or the step fails",
    oneOf: "one of these texts, or the step fails",
    required: "the step fails if the value is empty",
  } satisfies Record<FilterName, string>,
};
