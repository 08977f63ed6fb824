import { Stack, Table, Text } from "@mantine/core";
import { ago, useNow } from "../ui/time.tsx";
import { nextRuns } from "./cron-next.ts";

const SHOWN = 5;

/** The next times of a schedule, in its time zone and in the browser's. */
export function CronNext({ expression, timezone }: { expression: string; timezone: string | undefined }) {
  const now = useNow(30_000);
  const runs = nextRuns({ expression, timezone }, now, SHOWN);
  if (runs.length === 0) return null;
  const zone = timezone ?? "UTC";
  const viewers = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const isSame = viewers === zone;
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        The next {SHOWN} times
      </Text>
      <Table.ScrollContainer minWidth={0} type="native">
        <Table verticalSpacing={4} aria-label={`The next ${SHOWN} times`}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{zone}</Table.Th>
              {isSame ? null : <Table.Th>Your time ({viewers})</Table.Th>}
              <Table.Th>From now</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {runs.map((run) => (
              <Table.Tr key={run}>
                <Table.Td>{moment(run, zone)}</Table.Td>
                {isSame ? null : <Table.Td>{moment(run, viewers)}</Table.Td>}
                <Table.Td>{ago(run, now)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}

function moment(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  }).format(at);
}
