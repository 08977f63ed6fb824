import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { WorkflowLimit } from "../../../schema/contract/limit-group.ts";
import { useAll } from "../../api/use-all.ts";
import { limits as text } from "../../strings/en/limits.ts";

/** The limits of a workflow by name, each with its key. */
export function LimitList({ limits }: { limits: readonly WorkflowLimit[] }) {
  const groups = useAll("/api/v1/automation/limits", { query: { limit: 200 } });
  return (
    <Stack gap={0}>
      {limits.map(({ groupId, key }) => (
        <Text key={groupId} size="sm" component="span">
          <Anchor component={Link} href="/settings/limits" size="sm">
            {groups.items?.find(({ id }) => id === groupId)?.name ?? groupId}
          </Anchor>{" "}
          {key === undefined ? "" : text.forEach(key)}
        </Text>
      ))}
    </Stack>
  );
}
