import { Anchor, Center, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useState } from "react";
import type { ReactNode } from "react";
import { useRead } from "../../api/queries.ts";
import { signIn as text } from "../../strings/en/sign-in.ts";
import { ErrorState, LoadingState } from "../../ui/states.tsx";
import { SetUp } from "./set-up.tsx";
import { SignInForm } from "./sign-in-form.tsx";

/** The page without a session: the sign-in, or the set-up while the deployment has no account. */
export default function SignIn() {
  const methods = useRead("/api/v1/auth/methods", {});
  const [hasAccount, setHasAccount] = useState(false);
  // The last steps of the set-up come after the account exists.
  const [isSetUp, setIsSetUp] = useState(false);
  if (methods.data === undefined) {
    return (
      <Frame title={text.signIn}>
        {methods.error === null ? <LoadingState /> : <ErrorState error={methods.error} retry={methods.refetch} />}
      </Frame>
    );
  }
  const { oidc, needsSetup } = methods.data;
  if (isSetUp || (needsSetup && !hasAccount)) {
    return (
      <Frame title={text.setUp.title}>
        <SetUp onCreated={() => setIsSetUp(true)} />
        {isSetUp || !oidc ? null : (
          <Text size="sm">
            {text.setUp.otherwise(
              <Anchor component="button" type="button" size="sm" onClick={() => setHasAccount(true)}>
                {text.setUp.signInInstead}
              </Anchor>,
            )}
          </Text>
        )}
      </Frame>
    );
  }
  return (
    <Frame title={text.signIn}>
      <SignInForm oidc={oidc} />
    </Frame>
  );
}

/** The frame of the sign-in and set-up pages, which are shown without a session. */
function Frame({ title, children }: { title: string; children: ReactNode }) {
  useDocumentTitle(text.documentTitle(title));
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={440} gap="md">
        <Group gap="xs" justify="center">
          <img src="/favicon.svg" width={30} height={30} alt="" />
          <Text fw={700} size="xl" component="span">
            {text.product}
          </Text>
        </Group>
        <Paper withBorder p={{ base: "md", sm: "xl" }} radius="md">
          <Stack gap="md">
            <Title order={1} size="h3">
              {title}
            </Title>
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}
