import { Alert, Anchor, Button, Center, Code, Group, Loader, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { IconAlertCircle, IconLock, IconMoodEmpty } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ApiProblem, messageOf } from "../api/problem.ts";
import { common } from "../strings/en/common.ts";
import { shell, states as text } from "../strings/en/shell.ts";

/** The states of every view besides its content: loading, empty, failed, not permitted, not found. */

/** `failure`: the error of the last attempt while the next one runs. The person who waits sees the reason. */
export function LoadingState({ label = common.loading, failure = null }: { label?: string; failure?: unknown }) {
  return (
    <Center mih={160} role="status" aria-label={label}>
      <Stack align="center" gap="xs">
        <Loader type="dots" />
        {failure === null ? null : (
          <Text size="sm" c="dimmed" ta="center" maw={480}>
            {text.retrying(messageOf(failure))}
          </Text>
        )}
      </Stack>
    </Center>
  );
}

/** An empty list: says what would be in it, and how to create the first item. */
export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <IconMoodEmpty size={36} stroke={1.3} aria-hidden />
      <Text fw={600}>{title}</Text>
      {children === undefined ? null : (
        <Text component="div" size="sm" c="dimmed" maw={480}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}

interface ErrorStateProps {
  error: unknown;
  retry?: () => unknown;
  /** What was asked for, with its id: "workflow wf_1". */
  what?: string | undefined;
}

/** A failure and what to do next. 403 and 404 have their own texts. */
export function ErrorState({ error, retry, what }: ErrorStateProps) {
  if (error instanceof ApiProblem && error.status === 403) return <NoPermission>{error.message}</NoPermission>;
  // The service's message is for callers of the API: it names calls to make.
  if (error instanceof ApiProblem && error.status === 404) return <NotHere what={what} />;
  return (
    <Alert color="red" icon={<IconAlertCircle aria-hidden />} title={text.notLoaded} role="alert" my="md">
      <Stack gap="xs" align="flex-start">
        <ProblemText error={error} />
        {retry === undefined ? null : (
          <Button size="xs" variant="light" color="red" onClick={() => void retry()}>
            {common.tryAgain}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** The text of a problem: its message, the errors of fields, and the request's id in the service's log. */
export function ProblemText({ error }: { error: unknown }) {
  const problem = error instanceof ApiProblem ? error : null;
  return (
    <Stack gap={4}>
      <Text size="sm">{messageOf(error)}</Text>
      {problem === null || problem.errors.length === 0 ? null : (
        <ul style={{ margin: 0, paddingInlineStart: "1.2rem" }}>
          {problem.errors.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <Text size="sm">
                <Code>{path}</Code> {message}
              </Text>
            </li>
          ))}
        </ul>
      )}
      {problem === null || problem.requestId === null || problem.status < 500 ? null : (
        <Text size="xs" c="dimmed">
          {text.request(<Code>{problem.requestId}</Code>)}
        </Text>
      )}
    </Stack>
  );
}

export function NoPermission({ children }: { children?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" py="xl" ta="center" role="alert">
      <IconLock size={36} stroke={1.3} aria-hidden />
      <Text fw={600}>{text.noAccess.title}</Text>
      <Text size="sm" c="dimmed" maw={480}>
        {text.noAccess.next(children ?? text.noAccess.reason)}
      </Text>
    </Stack>
  );
}

export function NotHere({ what }: { what?: string | undefined }) {
  useDocumentTitle(shell.tab(text.notFound.tab));
  return (
    <Stack align="center" gap="xs" py="xl" ta="center">
      <Title order={2}>{what === undefined ? text.notFound.page : text.notFound.thing(what)}</Title>
      <Text size="sm" c="dimmed" maw={480}>
        {text.notFound.reason}
      </Text>
      <Group>
        <Anchor component={Link} href="/">
          {text.notFound.toOverview}
        </Anchor>
      </Group>
    </Stack>
  );
}

interface Readable<T> {
  data: T | undefined;
  error: unknown;
  /** The error of the last attempt while another one follows. */
  failureReason?: unknown;
  refetch: () => unknown;
}

interface ReadStateProps<T> extends Pick<ErrorStateProps, "what"> {
  read: Readable<T>;
  children: (data: T) => ReactNode;
}

/**
 * Shows a read as loading, failed or done. Data stays in view while it is read again. When that fails, a line above
 * says that the data may be out of date.
 */
export function ReadState<T>({ read, what, children }: ReadStateProps<T>) {
  if (read.data === undefined) {
    return read.error === null ? (
      <LoadingState failure={read.failureReason ?? null} />
    ) : (
      <ErrorState error={read.error} retry={read.refetch} what={what} />
    );
  }
  return (
    <>
      {read.error === null ? null : (
        <Alert color="yellow" variant="light" mb="sm" role="status">
          <Group justify="space-between" gap="xs">
            <Text size="sm">{text.outOfDate(messageOf(read.error))}</Text>
            <Button size="compact-xs" variant="default" onClick={() => void read.refetch()}>
              {common.tryAgain}
            </Button>
          </Group>
        </Alert>
      )}
      {children(read.data)}
    </>
  );
}
