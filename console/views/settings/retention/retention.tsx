import { Alert, Button, Group, List, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Retention as RetentionView, RetentionPeriods } from "../../../../schema/contract/retention.ts";
import { call } from "../../../api/client.ts";
import { useAction, useRead } from "../../../api/queries.ts";
import { useCan } from "../../../app/session.tsx";
import { number, size } from "../../../strings/format.ts";
import { retention as text } from "../../../strings/en/retention.ts";
import { duration, exactTime } from "../../../strings/time.ts";
import { ListTable } from "../../../ui/list-table.tsx";
import { ReadState } from "../../../ui/states.tsx";
import { TimeAgo } from "../../../ui/time.tsx";
import { toastFailure, toastSuccess } from "../../../ui/toast.tsx";
import { PERIODS, RetentionDialog } from "./retention-dialog.tsx";

const PATH = "/api/v1/automation/retention";
const EVERY_MS = 60_000;

/** How long records are kept, how many there are, and what is deleted when. */
export default function Retention() {
  const read = useRead(PATH, {}, { everyMs: EVERY_MS });
  const mayChange = useCan("admin");
  const [isChanging, dialog] = useDisclosure(false);
  return (
    <ReadState read={read}>
      {(retention) => (
        <Stack gap="md">
          <Group justify="space-between" align="flex-start">
            <Text size="sm" maw={720}>
              {text.intro}
            </Text>
            {mayChange ? <Button onClick={dialog.open}>{text.dialog.open}</Button> : null}
          </Group>
          <FailedExports exports={retention.exports} />
          <Pending retention={retention} mayChange={mayChange} />
          <Kinds retention={retention} />
          <Stack gap={4}>
            {retention.countedAt === null ? null : (
              <Text size="sm" c="dimmed">
                {text.counted(<TimeAgo key="counted" at={retention.countedAt} />)}
              </Text>
            )}
            <Text size="sm" c="dimmed">
              {retention.lastPass === null
                ? text.noPass
                : text.lastPass(
                    <TimeAgo key="pass" at={retention.lastPass.at} />,
                    retention.lastPass.rows,
                    duration(retention.lastPass.durationMs),
                  )}
            </Text>
            {exportedTexts(retention.exports)}
          </Stack>
          {isChanging ? (
            <RetentionDialog periods={retention.periods} revision={retention.revision} close={dialog.close} />
          ) : null}
        </Stack>
      )}
    </ReadState>
  );
}

/** The kinds that are not deleted, because their export fails. */
function FailedExports({ exports }: { exports: RetentionView["exports"] }) {
  return (exports ?? []).map(({ kind, failure }) =>
    failure === null ? null : (
      <Alert key={kind} color="red" title={text.exports.paused(text.table.kinds[kind])}>
        <Text size="sm">{text.exports.failing(exactTime(failure.since))}</Text>
        <Text size="sm">{failure.error}</Text>
        <Text size="sm">{text.exports.retry(exactTime(failure.retryAt))}</Text>
      </Alert>
    ),
  );
}

/** What was exported before its deletion. */
function exportedTexts(exports: RetentionView["exports"]) {
  return (exports ?? []).map(({ kind, rows, bytes, exportedAt }) => (
    <Text key={kind} size="sm" c="dimmed">
      {exportedAt === null
        ? text.exports.none(text.table.kinds[kind])
        : text.exports.done(text.table.kinds[kind], rows, size(bytes), <TimeAgo key="exported" at={exportedAt} />)}
    </Text>
  ));
}

/** The shorter periods that do not apply yet. */
function Pending({
  retention: { periods, former, revision },
  mayChange,
}: {
  retention: RetentionView;
  mayChange: boolean;
}) {
  const keep = useAction((body: RetentionPeriods) => call("PUT", PATH, { body }, { ifMatch: revision }), {
    refreshes: [PATH],
    onDone: () => toastSuccess(text.pending.kept),
  });
  if (former === null) return null;
  const names = PERIODS.filter((name) => former.periods[name] !== undefined);
  return (
    <Alert color="yellow" title={text.pending.title}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{text.pending.until(exactTime(former.until))}</Text>
        <List size="sm">
          {names.map((name) => (
            <List.Item key={name}>
              {text.pending.change(text.periods[name], former.periods[name] ?? 0, periods[name])}
            </List.Item>
          ))}
        </List>
        {mayChange ? (
          <Button
            variant="default"
            loading={keep.isPending}
            onClick={() =>
              keep.mutate(
                { ...periods, ...former.periods },
                { onError: (error) => toastFailure(text.pending.failed, error) },
              )
            }
          >
            {text.pending.keep}
          </Button>
        ) : null}
      </Stack>
    </Alert>
  );
}

function Kinds({ retention: { kinds, periods } }: { retention: RetentionView }) {
  const kept = {
    executions: text.table.executionsKept(periods.executionDays, periods.failedDays),
    incidents: text.days(periods.incidentDays),
    audit: text.days(periods.auditDays),
    missedRuns: text.days(periods.missedRunDays),
    deliveries: text.days(periods.deliveryDays),
    lateResults: text.days(periods.lateResultDays),
  } satisfies Record<RetentionView["kinds"][number]["kind"], string>;
  return (
    <ListTable
      label={text.table.label}
      rows={kinds}
      keyOf={({ kind }) => kind}
      columns={[
        { name: text.table.records, cell: ({ kind }) => text.table.kinds[kind], onCard: "title" },
        { name: text.table.kept, cell: ({ kind }) => kept[kind] },
        { name: text.table.rows, cell: ({ rows }) => (rows === null ? text.table.unknown : number(rows)) },
        { name: text.table.size, cell: ({ bytes }) => (bytes === null ? null : size(bytes)) },
        { name: text.table.growth, cell: ({ newPerDay }) => (newPerDay === null ? null : number(newPerDay)) },
        {
          name: text.table.oldest,
          cell: ({ oldestAt }) => (oldestAt === null ? null : <TimeAgo at={oldestAt} />),
        },
        { name: text.table.nextDay, cell: ({ nextDay }) => text.table.due(nextDay) },
      ]}
    />
  );
}
