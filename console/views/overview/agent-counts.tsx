import { Anchor, Badge, SimpleGrid, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { AgentCounts as Counts } from "../../../schema/contract/overview.ts";
import { STATUS_COLORS } from "../../ui/status.tsx";
import { Section } from "./section.tsx";

const SHOWN = [
  { label: "Online", name: "online", color: STATUS_COLORS.Online },
  { label: "Degraded", name: "degraded", color: STATUS_COLORS.Degraded },
  { label: "Offline", name: "offline", color: STATUS_COLORS.Offline },
  { label: "Disabled", name: "disabled", color: "gray" },
] as const;

/** How many agents have each status. */
export function AgentCounts({ counts }: { counts: Counts }) {
  return (
    <Section
      title="Agents"
      aside={
        <Anchor component={Link} href="/agents" size="sm">
          Agents and pools
        </Anchor>
      }
    >
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="xs" component="dl" m={0}>
        {SHOWN.map(({ label, name, color }) => (
          <Stack key={name} gap={2} align="flex-start">
            <Badge component="dt" color={color} variant="light" radius="sm" tt="none">
              {label}
            </Badge>
            <Text component="dd" size="xl" fw={600} m={0}>
              {counts[name]}
            </Text>
          </Stack>
        ))}
      </SimpleGrid>
    </Section>
  );
}
