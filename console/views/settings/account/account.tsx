import { Anchor, Badge, Group, Paper, Stack, Title } from "@mantine/core";
import { Link } from "wouter";
import type { MeView } from "../../../../schema/contract/people.ts";
import { useMe } from "../../../app/session.tsx";
import { common } from "../../../strings/en/common.ts";
import { settings as text } from "../../../strings/en/settings.ts";
import { Facts } from "../../../ui/facts.tsx";
import { TimeInFull } from "../../../ui/time.tsx";
import { ChangePassword } from "./change-password.tsx";

export default function Account() {
  const me = useMe();
  return (
    <Stack gap="lg" maw={720}>
      <AccountFacts me={me} />
      <ChangePassword user={me.user} />
    </Stack>
  );
}

/** The user's own account, role, permissions and session. */
function AccountFacts({ me }: { me: MeView }) {
  const { user } = me;
  const rolesLink = (
    <Anchor component={Link} href="/settings/roles" inherit>
      {text.account.whatRolesMayDo}
    </Anchor>
  );
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Title order={2} size="h4">
          {user?.name ?? me.actor}
        </Title>
        <Facts
          facts={[
            [common.email, user?.email ?? common.none],
            [text.role, text.account.roleWithLink(user?.role ?? common.none, rolesLink)],
            [text.signInMethod, user === null ? common.none : text.signIn(user)],
            [text.lastSignIn, <TimeInFull key="last" at={user?.lastLoginAt} />],
            [text.account.sessionEnds, <TimeInFull key="end" at={me.expiresAt} />],
            [
              text.permissions,
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
