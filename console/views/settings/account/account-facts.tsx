import { Anchor, Badge, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import type { MeView } from "../../../../schema/contract/people.ts";
import { TimeInFull } from "../../../ui/time.tsx";
import { Facts } from "../../../ui/facts.tsx";
import { waysIn } from "../ways-in.ts";

/** The user's own account, role, permissions and session. */
export function AccountFacts({ me }: { me: MeView }) {
  const { user } = me;
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Title order={2} size="h4">
          {user?.name ?? me.actor}
        </Title>
        <Facts
          facts={[
            ["Email", user?.email ?? "none"],
            [
              "Role",
              <Text key="role" component="span" inherit>
                {user?.role ?? "none"} (
                <Anchor component={Link} href="/settings/roles" inherit>
                  permissions of each role
                </Anchor>
                )
              </Text>,
            ],
            ["Sign-in method", user === null ? "none" : waysIn(user)],
            ["Last sign-in", <TimeInFull key="last" at={user?.lastLoginAt} />],
            ["This session ends", <TimeInFull key="end" at={me.expiresAt} />],
            [
              "Permissions",
              <Group key="permissions" gap={6}>
                {me.permissions.map((permission) => (
                  <Badge key={permission} variant="default" radius="sm" tt="none">
                    {permission}
                  </Badge>
                ))}
              </Group>,
            ],
          ]}
        />
      </Stack>
    </Paper>
  );
}
