import { Alert, Anchor, Group, Stack, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { Link } from "wouter";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import { StatusBadge } from "../../ui/status.tsx";
import { credentialTrouble } from "./credential-trouble.ts";

const SHOWN = 4;

/** Connections whose agents lack the credential. Jobs on these connections fail or wait. */
export function ConnectionBanner({ connections }: { connections: readonly ConnectionView[] }) {
  const troubled = connections.flatMap((connection) => {
    const trouble = credentialTrouble(connection);
    return trouble === null ? [] : [{ connection, ...trouble }];
  });
  if (troubled.length === 0) return null;
  const rest = troubled.length - SHOWN;
  return (
    <Alert
      color="yellow"
      icon={<IconKey aria-hidden />}
      title={troubled.length === 1 ? "A connection is missing its credential" : "Connections missing credentials"}
    >
      <Stack gap={6}>
        {troubled.slice(0, SHOWN).map(({ connection: { id, name }, status, message }) => (
          <Group key={id} gap="xs" align="flex-start">
            <Anchor component={Link} href={`/connections/${id}`} size="sm" fw={500} c="inherit" underline="always">
              {name}
            </Anchor>
            <StatusBadge status={status} />
            <Text size="sm" flex={1} miw={200} lineClamp={2}>
              {message}
            </Text>
          </Group>
        ))}
        {rest > 0 ? (
          <Anchor component={Link} href="/connections" size="sm" c="inherit" underline="always">
            and {rest} more
          </Anchor>
        ) : null}
      </Stack>
    </Alert>
  );
}
