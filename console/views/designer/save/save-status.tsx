import { Alert, Button, Group, Text } from "@mantine/core";
import { ApiProblem, isPassing, messageOf } from "../../../api/problem.ts";
import { useNow } from "../../../ui/time.tsx";
import { clockTime } from "../../../strings/time.ts";

export type SaveState =
  | { type: "saved"; at: string }
  | { type: "saving" }
  | { type: "behind" }
  | { type: "failed"; error: unknown };

/** Whether the draft is saved: "Saved 10:42". */
export function SaveStatus({ state }: { state: SaveState }) {
  const now = useNow(60_000);
  return (
    <Text size="sm" c={isFailed(state) ? "red" : "dimmed"} flex="none" role="status" aria-label="Saving">
      {state.type === "saved" ? `Saved ${clockTime(state.at, now)}` : state.type === "saving" ? "Saving…" : "Not saved"}
    </Text>
  );
}

export function isFailed({ type }: SaveState): boolean {
  return type === "failed" || type === "behind";
}

/** Why the draft is not saved, and what to do. `isKept`: this browser keeps the changes. */
export function SaveProblem(props: { state: SaveState; isKept: boolean; onSave: () => void; onCompare: () => void }) {
  const { state, isKept, onSave, onCompare } = props;
  if (state.type === "behind") {
    return (
      <Notice label="Compare" onClick={onCompare}>
        Another person saved this workflow, so your changes are not saved.
      </Notice>
    );
  }
  if (state.type !== "failed") return null;
  return (
    <Notice label="Save now" onClick={onSave}>
      Not saved: {reasonOf(state.error)}
      {isPassing(state.error) ? " Trying again every few seconds." : null}
      {isKept
        ? " This browser keeps your changes."
        : " This browser cannot keep your changes: stay on this page until they are saved."}
    </Notice>
  );
}

function Notice(props: { label: string; onClick: () => void; children: React.ReactNode }) {
  return (
    <Alert color="yellow" variant="light" py={4}>
      <Group justify="space-between">
        <Text size="sm" flex="1 1 16rem">
          {props.children}
        </Text>
        <Button size="compact-xs" variant="default" onClick={props.onClick}>
          {props.label}
        </Button>
      </Group>
    </Alert>
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof ApiProblem && error.status === 0) return "the service does not answer.";
  const [first] = error instanceof ApiProblem && error.code === "invalid_request" ? error.errors : [];
  return first === undefined ? messageOf(error) : `${first.path} ${first.message}.`;
}
