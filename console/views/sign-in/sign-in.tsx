import { Anchor, Text } from "@mantine/core";
import { useState } from "react";
import { useRead } from "../../api/queries.ts";
import { ErrorState, LoadingState } from "../../ui/states.tsx";
import { Frame } from "./frame.tsx";
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
      <Frame title="Sign in">
        {methods.error === null ? <LoadingState /> : <ErrorState error={methods.error} retry={methods.refetch} />}
      </Frame>
    );
  }
  const { oidc, needsSetup } = methods.data;
  if (isSetUp || (needsSetup && !hasAccount)) {
    return (
      <Frame title="Set up Bellhop">
        <SetUp onCreated={() => setIsSetUp(true)} />
        {isSetUp || !oidc ? null : (
          <Text size="sm">
            Does your organisation assign roles?{" "}
            <Anchor component="button" type="button" size="sm" onClick={() => setHasAccount(true)}>
              Sign in instead
            </Anchor>
          </Text>
        )}
      </Frame>
    );
  }
  return (
    <Frame title="Sign in">
      <SignInForm oidc={oidc} />
    </Frame>
  );
}
