import { Accordion, Alert, Badge, Code, Group, Stack, Table, Text } from "@mantine/core";
import type { GivenNode, NodePreview } from "../../schema/contract/dry-run.ts";
import type { Node } from "../../schema/contract/workflow.ts";
import { duration } from "../strings/time.ts";
import { GivenForm } from "./given-form.tsx";
import { outcomeLabel, placeLabel, runsLabel, shownValue } from "./preview-labels.ts";

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
  const { nodeId, runs, unresolved, error, action } = preview;
  const outcome = outcomeLabel(preview);
  const waits = action?.runsOn?.waitingFor ?? null;
  return (
    <Accordion.Item value={nodeId}>
      <Accordion.Control>
        <Group gap="xs">
          <Text component="span" size="sm" fw={600}>
            {position}. {node?.name === undefined || node.name === "" ? nodeId : node.name}
          </Text>
          <Badge
            variant="light"
            radius="sm"
            tt="none"
            color={runs === "yes" ? "teal" : runs === "no" ? "gray" : "yellow"}
          >
            {runsLabel(preview)}
          </Badge>
          {error === null ? null : (
            <Badge variant="light" radius="sm" tt="none" color="red">
              would fail
            </Badge>
          )}
          {runs === "no" || unresolved.length === 0 ? null : (
            <Badge variant="light" radius="sm" tt="none" color="yellow">
              {unresolved.length} unresolved
            </Badge>
          )}
          {waits === null || runs === "no" ? null : (
            <Badge variant="light" radius="sm" tt="none" color="yellow">
              would wait
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
          {waits === null ? null : (
            <Alert color="yellow" p="xs">
              <Text size="sm">It would wait: {waits}</Text>
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
      {condition === undefined ? null : (
        <Text size="sm">
          {condition.holds === null
            ? "Whether its conditions match depends on unknown values."
            : condition.holds
              ? "Its conditions match."
              : "Its conditions do not match."}
        </Text>
      )}
      {forEach === undefined ? null : (
        <Text size="sm">
          {forEach.count === null
            ? "Its list is unknown."
            : `Its list has ${forEach.count} items.${forEach.count === 0 ? "" : ` The preview shows the first one: ${shownValue(forEach.first)}.`}`}
        </Text>
      )}
      {delay === undefined ? null : <Text size="sm">It would wait {duration(delay.seconds * 1_000)}.</Text>}
      {approval === undefined ? null : <Text size="sm">It would ask: {approval.message}</Text>}
      {workflow === undefined ? null : (
        <Text size="sm">
          It would start {workflow.name ?? "an unknown workflow"}
          {workflow.published ? "" : ", which is not published,"} with {shownValue(workflow.variables)}.
        </Text>
      )}
      <Templates preview={preview} />
      {action?.params == null ? null : (
        <Stack gap={2}>
          <Text size="xs" c="dimmed">
            Parameters
          </Text>
          <Code block tabIndex={0} aria-label="Parameters" mah={260}>
            {Object.entries(action.params)
              .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`)
              .join("\n")}
          </Code>
        </Stack>
      )}
      {action === undefined || action.values.length === 0 ? null : (
        <Stack gap={2}>
          <Text size="xs" c="dimmed">
            Values passed by name, never inside the code
          </Text>
          {action.values.map(({ name, template, value }) => (
            <Text key={name} size="sm">
              <Code>{name}</Code> = <Code>{shownValue(value)}</Code>
              {template === null ? null : ` from ${template}`}
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
      <Table verticalSpacing={4} aria-label="Templates">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Template</Table.Th>
            <Table.Th>Value</Table.Th>
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
                    in {at}
                  </Text>
                </Table.Td>
                <Table.Td>
                  {reason === undefined ? (
                    <Code>{shownValue(value)}</Code>
                  ) : (
                    <Text size="sm">Unresolved: {reason}.</Text>
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
