import { Alert } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { ApiProblem, messageOf } from "../../api/problem.ts";
import { signInMessage } from "./sign-in-messages.ts";

/** The error of the step that failed. */
export function SetUpFailure({ creating, signingIn }: { creating: unknown; signingIn: unknown }) {
  if (signingIn !== null) {
    return (
      <Failure title="The administrator was created, but you are not signed in yet">{signInMessage(signingIn)}</Failure>
    );
  }
  if (creating === null) return null;
  return <Failure title="The administrator was not created">{creationMessage(creating)}</Failure>;
}

function Failure({ title, children }: { title: string; children: string }) {
  return (
    <Alert color="red" icon={<IconAlertCircle aria-hidden />} title={title} role="alert">
      {children}
    </Alert>
  );
}

function creationMessage(error: unknown): string {
  if (!(error instanceof ApiProblem)) return messageOf(error);
  if (error.code === "unreachable") return "The service does not answer. Check your network and try again.";
  if (error.status === 401) return "The bootstrap token is wrong. Check that you copied all of it.";
  if (error.status === 400) return "Some fields are invalid. See above.";
  return error.message;
}
