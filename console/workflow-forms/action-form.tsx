import { Alert, Button, Code, Group, Select, Stack, Text } from "@mantine/core";
import { ACTIONS, effectOf, isActionName, runsOn } from "../../schema/contract/action.ts";
import type { ActionName } from "../../schema/contract/action.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { ActionNode, Node } from "../../schema/contract/workflow.ts";
import { actionForms } from "../strings/en/action-forms.ts";
import { common } from "../strings/en/common.ts";
import { NumberField } from "../ui/number-field.tsx";
import { ConnectionSelect } from "./connection-select.tsx";
import { DurationField } from "./duration-field.tsx";
import { put } from "./put.ts";
import { More } from "./more.tsx";
import { fieldsOf } from "./param-fields.ts";
import { ParamInput } from "./param-input.tsx";
import { hasProblem, problemText } from "./problems.ts";
import { TargetField } from "./target-field.tsx";

export const ACTION_MORE_PATHS = ["timeoutSeconds", "queueTimeoutSeconds", "retry", "onAgentLost"];

const text = actionForms;
const { limits } = actionForms;

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
        data-part="action"
        label={text.action}
        data={ACTION_GROUPS}
        value={action}
        searchable
        allowDeselect={false}
        readOnly={readOnly}
        error={problemText(problems, "action")}
        nothingFoundMessage={text.noAction}
        onChange={(next) => {
          if (next !== null && isActionName(next)) onChange(withAction(node, next));
        }}
      />
      <div data-field="connectionId">
        <ConnectionSelect
          label={common.connection}
          description={isNotification ? text.channelHint : text.connectionHint}
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
      <TargetField node={node} problems={problems} readOnly={readOnly} onChange={onChange} />
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
        <Alert key={name} color="yellow" role="status" p="xs" data-part={`params.${name}`}>
          <Group justify="space-between" gap="xs">
            <Text size="sm">{unknownParameter(name, problemText(problems, `params.${name}`))}</Text>
            {readOnly ? null : (
              <Button size="compact-xs" variant="default" onClick={() => onChange(without(node, name))}>
                {text.remove(name)}
              </Button>
            )}
          </Group>
        </Alert>
      ))}
      <Text size="xs" c="dimmed">
        {text.effects[effect]}
      </Text>
      <More label={limits.title} hasProblem={hasProblem(problems, ACTION_MORE_PATHS)}>
        <Limits node={node} problems={problems} readOnly={readOnly} onChange={onChange} />
      </More>
    </Stack>
  );
}

function unknownParameter(name: string, problem: string | null) {
  const code = <Code>{name}</Code>;
  return problem === null ? text.unknown(code) : text.problem(code, problem);
}

function Limits({ node, problems, readOnly, onChange }: ActionFormProps) {
  const { retry } = node;
  return (
    <>
      <DurationField
        part="timeoutSeconds"
        label={limits.time}
        description={limits.timeHint}
        seconds={node.timeoutSeconds}
        error={problemText(problems, "timeoutSeconds")}
        readOnly={readOnly}
        onChange={(seconds) => onChange({ ...node, timeoutSeconds: seconds ?? Number.NaN })}
      />
      <DurationField
        part="queueTimeoutSeconds"
        label={limits.queue}
        description={limits.queueHint}
        emptyLabel={limits.noLimit}
        seconds={node.queueTimeoutSeconds}
        error={problemText(problems, "queueTimeoutSeconds")}
        readOnly={readOnly}
        onChange={(seconds) => onChange(put(node, { queueTimeoutSeconds: seconds }))}
      />
      <Group gap="sm" align="flex-start" grow>
        <NumberField
          data-part="retry.maxAttempts"
          label={limits.attempts}
          description={limits.attemptsHint}
          value={retry?.maxAttempts ?? 1}
          min={1}
          max={20}
          required
          readOnly={readOnly}
          error={problemText(problems, "retry.maxAttempts")}
          onChange={(maxAttempts) => {
            const backoffSeconds = retry?.backoffSeconds ?? 10;
            onChange(put(node, { retry: maxAttempts === 1 ? undefined : { maxAttempts, backoffSeconds } }));
          }}
        />
        {retry === undefined ? null : (
          <NumberField
            data-part="retry.backoffSeconds"
            label={limits.backoff}
            description={limits.backoffHint}
            value={retry.backoffSeconds}
            required
            fractions
            min={0}
            max={86_400}
            readOnly={readOnly}
            error={problemText(problems, "retry.backoffSeconds")}
            onChange={(backoffSeconds) => onChange({ ...node, retry: { ...retry, backoffSeconds } })}
          />
        )}
      </Group>
      <Select
        data-part="onAgentLost"
        label={limits.lost}
        description={limits.lostHint}
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
  { value: "", label: limits.lostDefault },
  { value: "fail", label: limits.lostFail },
  { value: "retry", label: limits.lostRetry },
];

const ACTION_GROUPS = Object.entries(
  Object.groupBy(Object.keys(ACTIONS).filter(isActionName), (name) => ACTIONS[name].connectionType),
).map(([group, items]) => ({ group, items }));

/**
 * The node with another action. It keeps the parameters that both actions have. It keeps connection and target when both
 * need the same connection type; the check of the draft decides whether the action runs on it.
 */
function withAction(node: ActionNode, action: ActionName): ActionNode {
  const names = new Set(fieldsOf(action, {}).map(({ name }) => name));
  const params: JsonObject = Object.fromEntries(Object.entries(node.params).filter(([name]) => names.has(name)));
  const isSameKind = ACTIONS[node.action].connectionType === ACTIONS[action].connectionType;
  return put(node, { action, params, ...(isSameKind ? {} : { connectionId: undefined, target: undefined }) });
}

function without(node: ActionNode, name: string): ActionNode {
  const { [name]: _gone, ...params } = node.params;
  return { ...node, params };
}
