import { Alert, Anchor, Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { IconSend } from "@tabler/icons-react";
import { Fragment, useState } from "react";
import { Link } from "wouter";
import type { IntegrationKind } from "../../../schema/contract/integration.ts";
import { useAll } from "../../api/use-all.ts";
import { integrations } from "../../strings/en/integrations.ts";
import { notDone } from "../../ui/not-done.ts";
import { ProblemText } from "../../ui/states.tsx";
import { deliver } from "./deliver.ts";
import type { Delivered } from "./deliver.ts";
import { keyOf } from "./kinds.ts";
import { TestOutcome } from "./test-outcome.tsx";
import { startedByNewIncidents } from "./would-start.ts";

const text = integrations.testEvent;

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
          label={integrations.create.url}
          description={integrations.address.help}
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
          {text.send}
        </Button>
      </Group>
      {error === null ? null : (
        <Alert color="red" role="alert" title={notDone(text.failed, error)}>
          <ProblemText error={error} />
        </Alert>
      )}
      {result === null ? null : (
        <TestOutcome result={result} onResolve={() => void send("resolve")} isResolving={isSending} />
      )}
      <Text size="xs" c="dimmed">
        {text.proves}
      </Text>
    </Stack>
  );
}

function newTest(): Test {
  return { testId: crypto.randomUUID(), at: new Date().toISOString() };
}

/** Lists the workflows that a test event may start before it is sent, because the event creates a real incident. */
function WouldStart() {
  const workflows = useAll("/api/v1/automation/workflows", { query: { limit: 200 } });
  const fit = startedByNewIncidents(workflows.items ?? []);
  const { effect, none, some, unknown, unconditional } = integrations.wouldStart;
  const links = fit.map(({ id, name, isUnconditional }, index) => {
    const link = (
      <Anchor component={Link} href={`/workflows/${id}`} size="sm" underline="always">
        {name}
      </Anchor>
    );
    return (
      <Fragment key={id}>
        {index === 0 ? "" : ", "}
        {isUnconditional ? unconditional(link) : link}
      </Fragment>
    );
  });
  return (
    <Text size="sm">
      {effect} {fit.length > 0 ? some(links) : workflows.isWhole ? none : unknown}
    </Text>
  );
}
