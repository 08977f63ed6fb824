import { Stack } from "@mantine/core";
import { useMe } from "../../../app/session.tsx";
import { AccountFacts } from "./account-facts.tsx";
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
