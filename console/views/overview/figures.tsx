import { SimpleGrid } from "@mantine/core";
import { useRead } from "../../api/queries.ts";
import { ReadState } from "../../ui/states.tsx";
import { LatencyChart } from "./latency-chart.tsx";
import { OutcomesChart } from "./outcomes-chart.tsx";
import { Section } from "./section.tsx";

/** The last 24 hours in charts. */
export function Figures() {
  const read = useRead("/api/v1/automation/statistics", {}, { everyMs: 120_000 });
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
      <Section title="Executions of the last 24 hours">
        <ReadState read={read}>{(statistics) => <OutcomesChart statistics={statistics} />}</ReadState>
      </Section>
      <Section title="Dispatch latency of the last 24 hours">
        <ReadState read={read}>{(statistics) => <LatencyChart statistics={statistics} />}</ReadState>
      </Section>
    </SimpleGrid>
  );
}
