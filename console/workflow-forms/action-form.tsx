import { Alert, Button, Code, Group, Select, Stack, Text } from "@mantine/core";
import { ACTIONS, effectOf, isActionName, runsOn } from "../../schema/contract/action.ts";
import type { ActionName } from "../../schema/contract/action.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { ActionNode, Node } from "../../schema/contract/workflow.ts";
import { ACTION_TIMEOUT_DEFAULT_SECONDS } from "../../schema/limits.ts";
import { ConnectionSelect } from "./connection-select.tsx";
import { DurationField } from "./duration-field.tsx";
import { FilledNumber } from "./filled-number.tsx";
import { put } from "./put.ts";
import { More } from "./more.tsx";
import { fieldsOf } from "./param-fields.ts";
import { ParamInput } from "./param-input.tsx";
import { hasProblem, problemText } from "./problems.ts";

export const ACTION_MORE_PATHS = ["timeoutSeconds", "queueTimeoutSeconds", "retry", "onAgentLost"];

/** One line about whether an action can be repeated safely. */
const EFFECT_LABELS = {
  read: "Only reads. If its agent is lost, another agent runs it again.",
  idempotent: "Safe to repeat. If its agent is lost, another agent runs it again.",
  unsafe: "Not safe to repeat. If its agent is lost, it fails and is not run again automatically.",
} as const;

interface ActionFormProps {
  node: ActionNode;
  problems: readonly FieldError[];
  readOnly: boolean;
  onChange: (node: Node) => void;
}

/** The form of an action: its type, connection, parameters, time limits and retries. */
export function ActionForm({ node, problems, readOnly, onChange }: ActionFormProps) {
  const { action, params } = node;
  const fields = fieldsOf(action, params);
  const contract = ACTIONS[action];
  const { namedValues: kind } = contract;
  const effect = effectOf(action, params);
  const unknown = Object.keys(params).filter((name) => !fields.some((field) => field.name === name));
  const isNotification = contract.connectionType === "notification";
  return (
    <Stack gap="sm">
      <Select
        label="Action"
        data={ACTION_GROUPS}
        value={action}
        searchable
        allowDeselect={false}
        readOnly={readOnly}
        error={problemText(problems, "action")}
        nothingFoundMessage="No action matches."
        onChange={(next) => {
          if (next !== null && isActionName(next)) onChange(withAction(node, next));
        }}
      />
      <div data-field="connectionId">
        <ConnectionSelect
          label="Connection"
          description={
            isNotification
              ? "Optional. With a connection you can turn its notifications off in one place."
              : "Where the action runs."
          }
          fits={(type) => runsOn(action, type)}
          of={contract.connectionType}
          value={node.connectionId}
          required={!isNotification}
          error={problemText(problems, "connectionId")}
          readOnly={readOnly}
          onChange={(connectionId) => {
            onChange(put(node, { connectionId }));
          }}
        />
      </div>
      {fields.map((field) => (
        <ParamInput
          key={`${action} ${field.name}`}
          field={field}
          value={params[field.name]}
          problems={problems}
          path={`params.${field.name}`}
          readOnly={readOnly}
          codeValues={
            kind === undefined
              ? null
              : {
                  kind,
                  value: params[kind],
                  onChange: (values, code) =>
                    onChange({
                      ...node,
                      params: { ...params, [kind]: values, ...(code === undefined ? {} : { [field.name]: code }) },
                    }),
                }
          }
          onChange={(value) => {
            const { [field.name]: _before, ...rest } = params;
            onChange({ ...node, params: value === undefined ? rest : { ...params, [field.name]: value } });
          }}
        />
      ))}
      {unknown.map((name) => (
        <Alert key={name} color="yellow" role="status" p="xs">
          <Group justify="space-between" gap="xs">
            <Text size="sm">
              <Code>{name}</Code> {problemText(problems, `params.${name}`) ?? "is not a parameter of this action."}
            </Text>
            {readOnly ? null : (
              <Button size="compact-xs" variant="default" onClick={() => onChange(without(node, name))}>
                Remove {name}
              </Button>
            )}
          </Group>
        </Alert>
      ))}
      <Text size="xs" c="dimmed">
        {EFFECT_LABELS[effect]}
      </Text>
      <More label="Time limits and retries" hasProblem={hasProblem(problems, ACTION_MORE_PATHS)}>
        <Limits node={node} problems={problems} readOnly={readOnly} onChange={onChange} />
      </More>
    </Stack>
  );
}

function Limits({ node, problems, readOnly, onChange }: ActionFormProps) {
  const { retry } = node;
  return (
    <>
      <DurationField
        label="Time limit"
        description="Counted from its start on the agent. After this time the action is stopped and fails."
        seconds={node.timeoutSeconds}
        error={problemText(problems, "timeoutSeconds")}
        readOnly={readOnly}
        onChange={(seconds) => onChange({ ...node, timeoutSeconds: seconds ?? ACTION_TIMEOUT_DEFAULT_SECONDS })}
      />
      <DurationField
        label="Longest wait for an agent"
        description="After this time the action fails without running. Leave empty to wait as long as the run lasts."
        emptyLabel="No limit"
        seconds={node.queueTimeoutSeconds}
        error={problemText(problems, "queueTimeoutSeconds")}
        readOnly={readOnly}
        onChange={(seconds) => onChange(put(node, { queueTimeoutSeconds: seconds }))}
      />
      <Group gap="sm" align="flex-start" grow>
        <FilledNumber
          label="Maximum attempts"
          description="1: no retry after a failure."
          value={retry?.maxAttempts ?? 1}
          min={1}
          max={20}
          clampBehavior="none"
          allowDecimal={false}
          allowNegative={false}
          readOnly={readOnly}
          error={problemText(problems, "retry.maxAttempts") ?? undefined}
          onChange={(maxAttempts) => {
            const backoffSeconds = retry?.backoffSeconds ?? 10;
            onChange(put(node, { retry: maxAttempts <= 1 ? undefined : { maxAttempts, backoffSeconds } }));
          }}
        />
        {retry === undefined ? null : (
          <FilledNumber
            label="Seconds between attempts"
            description="The wait before each further attempt."
            value={retry.backoffSeconds}
            min={0}
            clampBehavior="none"
            allowNegative={false}
            readOnly={readOnly}
            error={problemText(problems, "retry.backoffSeconds") ?? undefined}
            onChange={(backoffSeconds) => onChange({ ...node, retry: { ...retry, backoffSeconds } })}
          />
        )}
      </Group>
      <Select
        label="If its agent is lost while it runs"
        description="It is then unknown whether the action was carried out."
        data={LOST}
        value={node.onAgentLost ?? ""}
        allowDeselect={false}
        readOnly={readOnly}
        error={problemText(problems, "onAgentLost")}
        onChange={(next) =>
          onChange(put(node, { onAgentLost: next === "retry" || next === "fail" ? next : undefined }))
        }
      />
    </>
  );
}

const LOST = [
  { value: "", label: "Default: fail if the action is not safe to repeat" },
  { value: "fail", label: "Always fail" },
  { value: "retry", label: "Always run it again on another agent" },
];

const ACTION_GROUPS = Object.entries(
  Object.groupBy(Object.keys(ACTIONS).filter(isActionName), (name) => ACTIONS[name].connectionType),
).map(([group, items]) => ({ group, items }));

/**
 * The node with another action. It keeps the parameters that both actions have. It keeps the connection when both need
 * the same connection type; the check of the draft decides whether the action runs on it.
 */
function withAction({ connectionId, ...node }: ActionNode, action: ActionName): ActionNode {
  const names = new Set(fieldsOf(action, {}).map(({ name }) => name));
  const params: JsonObject = Object.fromEntries(Object.entries(node.params).filter(([name]) => names.has(name)));
  const isSameKind = ACTIONS[node.action].connectionType === ACTIONS[action].connectionType;
  return { ...node, action, params, ...(isSameKind && connectionId !== undefined ? { connectionId } : {}) };
}

function without(node: ActionNode, name: string): ActionNode {
  const { [name]: _gone, ...params } = node.params;
  return { ...node, params };
}
