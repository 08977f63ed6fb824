import { Alert, Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { useState } from "react";
import type { IntegrationKind } from "../../../schema/contract/integration.ts";
import { notDone } from "../../ui/not-done.ts";
import { ProblemText } from "../../ui/states.tsx";
import { deliver } from "./deliver.ts";
import type { Delivered } from "./deliver.ts";
import { keyOf } from "./kinds.ts";
import { TestOutcome } from "./test-outcome.tsx";
import { WouldStart } from "./would-start-notice.tsx";

interface TestEventProps {
  kind: IntegrationKind;
  /** Null when the URL is no longer known: then the form asks for it. */
  url: string | null;
}

type Test = { testId: string; at: string };

/** Sends a harmless event to an integration's URL and shows the outcome. Only this component keeps the URL. */
export function TestEvent({ kind, url }: TestEventProps) {
  const [typed, setTyped] = useState("");
  const [isSending, setSending] = useState(false);
  const [test, setTest] = useState<Test | null>(null);
  const [result, setResult] = useState<Delivered | null>(null);
  const [error, setError] = useState<unknown>(null);
  const address = url ?? typed;
  const read = keyOf(address, kind);
  const send = async (action: "trigger" | "resolve") => {
    if ("problem" in read) return;
    const now = action === "resolve" && test !== null ? test : newTest();
    setSending(true);
    setError(null);
    try {
      setResult(await deliver({ kind, key: read.key, action, ...now }));
      setTest(now);
    } catch (failure) {
      setError(failure);
    } finally {
      setSending(false);
    }
  };
  return (
    <Stack gap="sm">
      {url === null ? (
        <PasswordInput
          label="The integration's URL"
          description="It was shown when the integration was created, and the tool has it. Bellhop does not store it."
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={typed !== "" && "problem" in read ? read.problem : undefined}
        />
      ) : null}
      <WouldStart />
      <Group>
        <Button
          variant="light"
          leftSection={<IconSend size={16} aria-hidden />}
          loading={isSending}
          disabled={"problem" in read}
          onClick={() => void send("trigger")}
        >
          Send a test event
        </Button>
      </Group>
      {error === null ? null : (
        <Alert color="red" role="alert" title={notDone("The test event was not accepted", error)}>
          <ProblemText error={error} />
        </Alert>
      )}
      {result === null ? null : (
        <TestOutcome result={result} onResolve={() => void send("resolve")} isResolving={isSending} />
      )}
      <Text size="xs" c="dimmed">
        This browser sends the event to this deployment. The test shows that the key works and what an event causes, but
        not that your tool reaches the URL.
      </Text>
    </Stack>
  );
}

function newTest(): Test {
  return { testId: crypto.randomUUID(), at: new Date().toISOString() };
}
