import type { ConcurrencyMode } from "../../../schema/contract/concurrency.ts";
import { conditionOperatorSchema } from "../../../schema/contract/condition.ts";
import type { ConditionOperator } from "../../../schema/contract/condition.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { NODE_OUTCOMES } from "../../../schema/contract/workflow.ts";
import type { NodeType, TriggerType } from "../../../schema/contract/workflow.ts";
import { WORKFLOW_FILE_SCHEMA_PATH } from "../../../schema/contract/workflow-file.ts";
import { INCIDENT_FIELDS } from "../../domain/incident/fields.ts";
import { actionList } from "./actions.ts";
import { article, html, inline, section, table } from "./html.ts";
import type { Html } from "./html.ts";

/** The contents of a workflow, derived from the contracts: nodes, templates, conditions and every action. */
export function writingWorkflows(): Html {
  return section(
    "writing-workflows",
    "Writing workflows",
    html` <p>
        A workflow is a trigger and a graph: nodes, and edges that leave a node by its outcome. A node runs when every
        node before it has ended and one of its incoming edges was taken. Otherwise it is skipped. Editors complete and
        check workflow files with <a href="${WORKFLOW_FILE_SCHEMA_PATH}">their JSON Schema</a>, and
        <code>POST /api/v1/automation/workflows/validate</code> does a dry run.
      </p>
      <pre><code>${JSON.stringify(EXAMPLE, null, 2)}</code></pre>
      ${article("writing-triggers", "Triggers", table(["Type", "Starts on", "Names in templates"], rows(TRIGGERS)))}
      ${article("writing-nodes", "Nodes", table(["Type", "Leaves by", "Output, as templates and executions see it"], nodeRows()))}
      ${article(
        "writing-concurrency",
        "Runs at the same time",
        html`<p>
            ${inline('`concurrency` in the definition says what a start does while another run with the same key is open: `{"mode": "queue", "key": "{{incident.service}}", "maxQueued": 20}`. The key uses the names of the trigger. Without a key, one run of the workflow is open at a time.')}
          </p>
          ${table(["Mode", "A start that finds another run"], rows(CONCURRENCY_MODES))}`,
      )}
      ${article(
        "writing-limits",
        "Limits per target",
        html`<p>
          ${inline('`limits` in the definition names limits, which workflows share: `[{"groupId": "lim_…", "key": "{{incident.service}}"}]`. At most `maxRuns` runs with actions of the effect `unsafe` may happen in a sliding period, for each key. A run counts once, before its first such action; messages to people do not count. When a limit is reached, the action fails with `limit_reached`, or waits for an approval.')}
        </p>`,
      )}
      ${article(
        "writing-templates",
        "Templates",
        html`<p>
            ${inline('`{{path.of.value}}`: a member of a list is `{{inputs.hosts.0}}`, a name with blanks or dots is `{{webhook["host name"]}}`. A path without a value is empty. A parameter that is only one template keeps the value\'s type. Write two literal braces as `{{"{{"}}`.')}
          </p>
          <p>
            ${inline("Bellhop never lets a value leave the word that it is in. Where a language reads that word as a name, a command, an address or an option, it may be one: pin numbers with `| int` and choices with `| oneOf`.")}
          </p>
          <p>
            ${inline('Free text goes into `env` of scripts, which read it as `"$NAME"`, `$env:NAME` or `os.environ["NAME"]`, or into `parameters` of queries, which say `:name`. In code itself a template takes only plain words: 1 to 256 letters, digits and `_ . : / -`, beginning with a letter, a digit or `_`, without `//`, `:/`, `.` or `..` as a part of a path. Next to other text, and for cmd.exe, `:` and `/` are not allowed either. Any other value fails the node with `unsafe_value` before a job exists. In SQL a template is a bound parameter.')}
          </p>
          ${table(["Name", "What it is"], rows(NAMES))}
          <p>
            ${inline('Filters follow `|`, from left to right: `{{webhook.hosts | split:"," | first | name}}`. Filters that restrict go last. A value that does not fit fails the node.')}
          </p>
          ${table(["Filter", "What it does"], rows(FILTERS))}`,
      )}
      ${article(
        "writing-conditions",
        "Conditions",
        html`<p>
            ${inline('A group is `{"logic": "all", "conditions": [...]}`, or `any`; a group may contain groups. A condition is `field`, `operator` and `value`. In a node of type condition, `field` is the path of a template, `nodes.check.output.exitCode`, and `value` may contain templates. In an incident trigger, `field` is one of')}
            ${inline(`${INCIDENT_FIELDS.map((field) => `\`${field}\``).join(", ")} and \`tags.<key>\`.`)}
          </p>
          ${table(["operator", "value"], operatorRows())}`,
      )}
      ${article("writing-actions", "Actions", actionList())}`,
  );
}

const CONCURRENCY_MODES = {
  allow: "Runs beside it.",
  queue: "Waits. When `maxQueued` runs wait, a further one ends with `queue_full`.",
  skip: "Ends as cancelled with `skipped_busy`.",
  cancelPrevious:
    "The newest event wins: older runs end with `superseded`, also those that wait. An unsafe action that an agent has runs to its end first.",
} as const satisfies Record<ConcurrencyMode, string>;

function rows(entries: Readonly<Record<string, string | readonly string[]>>): Html[][] {
  return Object.entries(entries).map(([name, cells]) => row(name, [cells].flat()));
}

function row(name: string, cells: readonly string[]): Html[] {
  return [html`<code>${name}</code>`, ...cells.map((cell) => html`${inline(cell)}`)];
}

function nodeRows(): Html[][] {
  return Object.entries(NODES).map(([type, output]) => {
    const outcomes: readonly string[] = Object.entries(NODE_OUTCOMES).find(([name]) => name === type)?.[1] ?? [];
    return row(type, [outcomes.map((outcome) => `\`${outcome}\``).join(" · "), output]);
  });
}

function operatorRows(): Html[][] {
  return conditionOperatorSchema.options.map((operator) => row(operator, [OPERATORS[operator]]));
}

const EXAMPLE: JsonValue = {
  name: "Restart a stopped service",
  trigger: { type: "manual", inputs: { service: { type: "string", required: true } } },
  definition: {
    nodes: [
      {
        id: "check",
        type: "action",
        action: "ssh.executeCommand",
        connectionId: "con_01985f3a-7c5e-7b1a-9a3e-2f4b6c8d0e1f",
        params: { command: 'systemctl is-active "{{inputs.service}}" || true' },
      },
      {
        id: "isDown",
        type: "condition",
        when: {
          logic: "all",
          conditions: [{ field: "nodes.check.output.stdout", operator: "notMatches", value: "^active" }],
        },
      },
      {
        id: "restart",
        type: "action",
        action: "ssh.executeCommand",
        connectionId: "con_01985f3a-7c5e-7b1a-9a3e-2f4b6c8d0e1f",
        params: { command: 'systemctl restart "{{inputs.service}}"' },
      },
    ],
    edges: [
      { from: "check", to: "isDown", on: "success" },
      { from: "isDown", to: "restart", on: "true" },
    ],
  },
};

const TRIGGERS = {
  webhook: [
    "A request to its address, with `variables` in the body; with `payload: body`, any JSON body.",
    "`webhook.<key>`, `inputs.<key>`; with `payload: body`, `webhook.body.<path>`, and `webhook.headers.<name>` and `webhook.query.<name>` of the names that the trigger lists",
  ],
  manual: ["A person, with typed `inputs` and their defaults.", "`inputs.<key>`, `webhook.<key>`"],
  incident: ["`events` of incidents for which its `conditions` are true.", "`incident.<field>`, `incident.tags.<key>`"],
  cron: ["A schedule of five fields, in a `timezone`.", "`cron.scheduledAt`"],
  failure: [
    "A failed run of another workflow; with `tags`, of one that has one of them.",
    "`failed.executionId`, `failed.workflow.name`, `failed.error.message`, `failed.node.id`, `failed.url` and further fields",
  ],
} as const satisfies Record<TriggerType, readonly string[]>;

const NODES = {
  action: "See the actions below.",
  condition: "None: it only chooses the branch.",
  forEach:
    "`total`, `succeeded`, `failed`, `notStarted` and `results`, in the order of the items: `index`, `status`, `outputs.<nodeId>` of the last nodes of its body, and `error`. With `batchSize`, `batch` and `batches` while it runs.",
  delay: "None.",
  approval:
    "`message` while it waits; then also `decision` (`approved`, `rejected`, or `expired`), `by`, `comment` and `at`. An approval that expires leaves by `rejected`.",
  workflow:
    "`executionId` of the called workflow, its `status`, and `outputs.<nodeId>`: the outputs of its last nodes.",
  errorHandler: "The failure that started it, without its output: the same as `error`.",
} as const satisfies Record<NodeType, string>;

const NAMES = {
  "webhook.<key>, inputs.<key>": "The trigger's variables, under both names.",
  "incident.<field>": `${INCIDENT_FIELDS.map((field) => `\`${field}\``).join(", ")}, \`tags.<key>\`, and \`batch\`, the events that \`coalesce\` joined.`,
  "cron.scheduledAt": "The minute that was due, in ISO 8601.",
  "nodes.<id>.output.<field>":
    "The output of an earlier node. `nodes.<id>.status` and `nodes.<id>.exitCode`, too. When stdout is one JSON value, `nodes.<id>.output.json` is that value: `nodes.<id>.output.json.items` is a list for a forEach.",
  "foreach.item, .index, .total":
    "The innermost forEach around the node, `index` from 0; `foreach.parent.item` belongs to the forEach around that one. In the `check` of a forEach: `total`, `succeeded`, `failed`, `notStarted` and `results` of its items so far.",
  "error.<field>":
    "After a failure edge or an errorHandler: `message`, `code`, `status`, `nodeId`, `actionType`, `exitCode`, `statusCode`, `output`.",
} as const;

const FILTERS = {
  default: 'Another value in place of an empty one: `| default:"80"`.',
  required: "Fails the node with `empty_value` when the value is missing.",
  trim: "Removes blanks and line breaks at both ends.",
  json: "The value as JSON text.",
  lower: "In lower case.",
  upper: "In upper case.",
  lines: "A text as a list of its lines.",
  split: 'A text as a list, cut at a separator: `| split:","`.',
  join: 'A list as one text: `| join:" "`.',
  first: "The first member of a list.",
  last: "The last member of a list.",
  int: "Requires a whole number of at most 15 digits.",
  number: "Requires a number such as `2.75`.",
  bool: "Requires `true` or `false`.",
  name: "Requires a name of letters, digits and `_ . -` that begins with a letter, a digit or `_`.",
  oneOf: 'Requires one of its choices: `| oneOf:"start","stop"`.',
} as const;

const OPERATORS = {
  equals: "Any value. A number equals its text, and a missing value equals the empty text.",
  notEquals: "Any value.",
  contains: "A part of a text, a member of a list, or a key of an object.",
  notContains: "The same.",
  startsWith: "A text.",
  endsWith: "A text.",
  in: "A list of values.",
  notIn: "A list of values.",
  exists: "None: true for any value but null.",
  notExists: "None.",
  greaterThan: "A number, or a text such as a time in ISO 8601. Severities compare by their order.",
  lessThan: "The same.",
  matches: "A pattern in RE2 syntax, found anywhere in the text unless it has `^` and `$`.",
  notMatches: "The same.",
} as const satisfies Record<ConditionOperator, string>;
