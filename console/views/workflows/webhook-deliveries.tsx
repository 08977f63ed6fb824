import { Anchor, Button, Group, Table, Text } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { WEBHOOK_REQUESTS_MAX, WEBHOOK_REQUESTS_PER_WINDOW } from "../../../schema/limits.ts";
import type { WebhookDelivery } from "../../../schema/contract/webhook-delivery.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { useRead } from "../../api/queries.ts";
import { size } from "../../strings/format.ts";
import { common } from "../../strings/en/common.ts";
import { webhookKeys } from "../../strings/en/webhook-keys.ts";
import { NumberField, numberProblem } from "../../ui/number-field.tsx";
import { ReadState } from "../../ui/states.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";
import { SHOWS_WORKFLOWS } from "./mutations.ts";

const REFRESH_MS = 10_000;
const BOUNDS = { min: 1, max: WEBHOOK_REQUESTS_MAX };
const text = webhookKeys.deliveries;

/** The last deliveries of a webhook, with their results. */
export function WebhookDeliveries({ workflowId }: { workflowId: string }) {
  const read = useRead(
    "/api/v1/automation/workflows/{id}/webhook/deliveries",
    { path: { id: workflowId } },
    { everyMs: REFRESH_MS },
  );
  return (
    <ReadState read={read} what={text.failed}>
      {({ items }) =>
        items.length === 0 ? (
          <Text size="sm">{text.none}</Text>
        ) : (
          <Table.ScrollContainer minWidth={560}>
            <Table aria-label={text.title}>
              <Table.Thead>
                <Table.Tr>
                  {[text.time, text.result, text.run, text.size, text.contentType].map((heading) => (
                    <Table.Th key={heading}>{heading}</Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {items.map((delivery) => (
                  <Table.Tr key={`${delivery.at} ${delivery.executionId} ${delivery.reason}`}>
                    <Table.Td>
                      <TimeAgo at={delivery.at} />
                    </Table.Td>
                    <Table.Td>
                      <Result delivery={delivery} />
                    </Table.Td>
                    <Table.Td>
                      {delivery.executionId === null ? (
                        text.unknown
                      ) : (
                        <Anchor component={Link} href={`/executions/${delivery.executionId}`} size="sm">
                          {text.open}
                        </Anchor>
                      )}
                    </Table.Td>
                    <Table.Td>{delivery.bytes === null ? text.unknown : size(delivery.bytes)}</Table.Td>
                    <Table.Td>{delivery.contentType ?? text.unknown}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )
      }
    </ReadState>
  );
}

function Result({ delivery: { result, reason, detail, count, ignoredFields } }: { delivery: WebhookDelivery }) {
  const more = [
    ...(reason === null ? [] : [detail ?? text.reasons[reason]]),
    ...(count === 1 ? [] : [text.times(count)]),
    ...(ignoredFields.length === 0 ? [] : [text.ignored(ignoredFields)]),
  ];
  return (
    <>
      <Text size="sm">{text.results[result]}</Text>
      {more.map((line) => (
        <Text key={line} size="xs" c="dimmed">
          {line}
        </Text>
      ))}
    </>
  );
}

/** How many requests the webhook takes in a minute. */
export function WebhookRate({ workflow }: { workflow: Pick<WorkflowView, "id" | "webhook"> }) {
  const current = workflow.webhook?.requestsPerMinute ?? WEBHOOK_REQUESTS_PER_WINDOW;
  const [typed, setTyped] = useState(current);
  const { rate } = webhookKeys;
  const save = useToastMutation(
    (requestsPerMinute: number) =>
      call("PUT", "/api/v1/automation/workflows/{id}/webhook", {
        path: { id: workflow.id },
        body: { requestsPerMinute },
      }),
    { done: () => rate.saved, failed: rate.notSaved, refreshes: SHOWS_WORKFLOWS },
  );
  return (
    <Group gap="sm" align="flex-end">
      <NumberField
        label={rate.title}
        description={rate.help(WEBHOOK_REQUESTS_MAX)}
        {...BOUNDS}
        required
        value={typed}
        onChange={setTyped}
      />
      <Button
        variant="default"
        disabled={typed === current}
        loading={save.isPending}
        onClick={() => {
          if (numberProblem(String(typed), BOUNDS) === null) void save.run(typed);
        }}
      >
        {common.save}
      </Button>
    </Group>
  );
}
