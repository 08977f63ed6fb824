import { Alert, Button, Code, Stack, Text } from "@mantine/core";
import { IconCircleCheck, IconShieldLock } from "@tabler/icons-react";
import { useLocation } from "wouter";
import { useSecretAction } from "../../api/use-secret-action.ts";
import { useSignedIn } from "../../app/session.tsx";
import { ProblemText } from "../../ui/states.tsx";

/** The last step of the set-up: advises to remove the bootstrap token, which permits everything. */
export function SetUpDone() {
  const signedIn = useSignedIn();
  const [, navigate] = useLocation();
  const open = useSecretAction(async () => {
    await signedIn();
    navigate("/");
  });
  return (
    <Stack gap="md">
      <Alert color="teal" icon={<IconCircleCheck aria-hidden />} title="You are the administrator" role="status">
        You are signed in. Create accounts for others under Settings, Users.
      </Alert>
      <Alert color="yellow" icon={<IconShieldLock aria-hidden />} title="In production: remove the bootstrap token">
        <Text size="sm">
          Anyone with the token can do everything. Sign in once more to check your account, then unset the secret{" "}
          <Code>BOOTSTRAP_ADMIN_TOKEN</Code> of the deployment. If no one can sign in, you can set it again.
        </Text>
      </Alert>
      {open.error === null ? null : <ProblemText error={open.error} />}
      <Button loading={open.isPending} onClick={() => void open.perform(undefined)} fullWidth>
        Go to the overview
      </Button>
    </Stack>
  );
}
