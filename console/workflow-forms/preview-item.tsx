import { Accordion, Alert, Badge, Code, Group, Stack, Table, Text } from "@mantine/core";
import type { GivenNode, NodePreview, RunsOn } from "../../schema/contract/dry-run.ts";
import type { Node } from "../../schema/contract/workflow.ts";
import { nodeTitle } from "../graph/describe-node.ts";
import { dryRun } from "../strings/en/dry-run.ts";
import { duration } from "../strings/time.ts";
import { GivenForm } from "./given-form.tsx";

const text = dryRun;
const SHOWN_CHARS = 300;

interface PreviewItemProps {
  preview: NodePreview;
  position: number;
  node: Node | undefined;
  given: GivenNode;
  givenError: string | null;
  onGiven: (given: GivenNode | undefined) => void;
}

/** What one node would do in a dry run, with the form for its assumed result. */
export function PreviewItem({ preview, position, node, given, givenError, onGiven }: PreviewItemProps) {
  const { nodeId, runs, unresolved, error, action, forEach } = preview;
  const outcome = outcomeLabel(preview);
  const problems = forEach?.problems ?? [];
  const waits = action?.runsOn?.waitingFor ?? null;
  return (
    <Accordion.Item value={nodeId}>
      <Accordion.Control>
        <Group gap="xs">
          <Text component="span" size="sm" fw={600}>
            {text.item(position, node === undefined ? nodeId : nodeTitle(node))}
          </Text>
          <Badge
            variant="light"
            radius="sm"
            tt="none"
            color={runs === "yes" ? "teal" : runs === "no" ? "gray" : "yellow"}
          >
            {text.runs[runs]}
          </Badge>
          {runs === "no" || (error === null && problems.length === 0) ? null : (
            <Badge variant="light" radius="sm" tt="none" color="red">
              {text.wouldFail}
            </Badge>
          )}
          {runs === "no" || unresolved.length === 0 ? null : (
            <Badge variant="light" radius="sm" tt="none" color="yellow">
              {text.unresolved(unresolved.length)}
            </Badge>
          )}
          {waits === null || runs === "no" ? null : (
            <Badge variant="light" radius="sm" tt="none" color="yellow">
              {text.wouldWait}
            </Badge>
          )}
          {outcome === null ? null : (
            <Text component="span" size="xs" c="dimmed">
              {outcome}
            </Text>
          )}
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="sm">
          {error === null ? null : (
            <Alert color="red" p="xs">
              <Text size="sm">
                {error.message} <Code>{error.code}</Code>
              </Text>
            </Alert>
          )}
          {problems.length === 0 ? null : (
            <Alert color="red" p="xs" title={text.forEach.wouldFail}>
              {problems.map(({ iteration, item, nodeId: inside, error: why }) => (
                <Text key={`${iteration.join(".")} ${inside}`} size="sm" style={{ overflowWrap: "anywhere" }}>
                  {text.forEach.problem(iteration, item, inside, why.message)} <Code>{why.code}</Code>
                </Text>
              ))}
            </Alert>
          )}
          {waits === null ? null : (
            <Alert color="yellow" p="xs">
              <Text size="sm">{text.waits(waits)}</Text>
            </Alert>
          )}
          <Content preview={preview} />
          {node === undefined ? null : <GivenForm node={node} given={given} error={givenError} onChange={onGiven} />}
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}

function Content({ preview }: { preview: NodePreview }) {
  const { action, condition, forEach, delay, approval, workflow } = preview;
  return (
    <>
      {action?.runsOn == null ? null : <Text size="sm">{placeLabel(action.runsOn)}</Text>}
      {action?.target == null ? null : <Text size="sm">{text.target(action.target)}</Text>}
      {condition === undefined ? null : (
        <Text size="sm">
          {condition.holds === null
            ? text.conditions.unknown
            : condition.holds
              ? text.conditions.match
              : text.conditions.noMatch}
        </Text>
      )}
      {forEach === undefined ? null : (
        <Text size="sm">
          {forEach.count === null
            ? text.forEach.unknown
            : forEach.count === 0
              ? text.forEach.empty
              : text.forEach.items(forEach, shownValue(forEach.first))}
        </Text>
      )}
      {delay === undefined ? null : <Text size="sm">{text.delay(duration(delay.seconds * 1_000))}</Text>}
      {approval === undefined ? null : <Text size="sm">{text.approval(approval.message)}</Text>}
      {workflow === undefined ? null : (
        <Text size="sm">
          {(workflow.published ? text.workflow : text.unpublished)(
            workflow.name ?? text.unknownWorkflow,
            shownValue(workflow.variables),
          )}
        </Text>
      )}
      <Templates preview={preview} />
      {action?.params == null ? null : (
        <Stack gap={2}>
          <Text size="xs" c="dimmed">
            {text.parameters}
          </Text>
          <Code block tabIndex={0} aria-label={text.parameters} mah={260}>
            {Object.entries(action.params)
              .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`)
              .join("\n")}
          </Code>
        </Stack>
      )}
      {action === undefined || action.values.length === 0 ? null : (
        <Stack gap={2}>
          <Text size="xs" c="dimmed">
            {text.values}
          </Text>
          {action.values.map(({ name, template, value }) => (
            <Text key={name} size="sm">
              {template === null
                ? text.value(<Code>{name}</Code>, <Code>{shownValue(value)}</Code>)
                : text.valueFrom(<Code>{name}</Code>, <Code>{shownValue(value)}</Code>, template)}
            </Text>
          ))}
        </Stack>
      )}
    </>
  );
}

/** Every template with its value, or the reason why it has no value. */
function Templates({ preview: { templates, unresolved } }: { preview: NodePreview }) {
  if (templates.length === 0) return null;
  const reasons = new Map(unresolved.map(({ template, reason }) => [template, reason]));
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table verticalSpacing={4} aria-label={text.templates} style={{ overflowWrap: "anywhere" }}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{text.template}</Table.Th>
            <Table.Th>{text.templateValue}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {templates.map(({ at, template, value }) => {
            const reason = reasons.get(template);
            return (
              <Table.Tr key={`${at} ${template}`}>
                <Table.Td>
                  <Code>{template}</Code>
                  <Text size="xs" c="dimmed">
                    {text.templateAt(at)}
                  </Text>
                </Table.Td>
                <Table.Td>
                  {reason === undefined ? (
                    <Code>{shownValue(value)}</Code>
                  ) : (
                    <Text size="sm">{text.noTemplateValue(reason)}</Text>
                  )}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** The outcome of a node in the dry run and where it comes from; null for a node that would not run. */
function outcomeLabel({ runs, outcome, outcomeBy }: NodePreview): string | null {
  if (runs === "no") return null;
  if (outcome === null) return text.noOutcome;
  return outcomeBy === null ? text.outcome(outcome) : text.outcomeBy(outcome, text.by[outcomeBy]);
}

/** A sentence about where an action would run. */
function placeLabel({ runner, connectionName, poolId, agents }: RunsOn): string {
  const { place } = text;
  const online = agents === null ? "" : place.online(agents.online, agents.total);
  switch (runner) {
    case "service":
      return place.service;
    case "pool":
      return connectionName === null
        ? place.pool(poolId ?? "", online)
        : place.poolOn(connectionName, poolId ?? "", online);
    case "agent":
      return connectionName === null ? place.agent(online) : place.agentOn(connectionName, online);
    case null:
      return connectionName === null ? place.noConnection : place.noAgent(connectionName);
  }
}

/** A value as one line; long values are cut. */
function shownValue(value: unknown): string {
  const json = JSON.stringify(value) ?? text.nothing;
  return json.length > SHOWN_CHARS ? text.cut(json.slice(0, SHOWN_CHARS)) : json;
}
