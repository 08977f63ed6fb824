import { Alert, Button, Group, Text } from "@mantine/core";
import { ApiProblem, isPassing, messageOf } from "../../../api/problem.ts";
import { useNow } from "../../../ui/time.tsx";
import { clockTime } from "../../../strings/time.ts";
import { designerSaving as text } from "../../../strings/en/designer-saving.ts";

export type SaveState =
  | { type: "saved"; at: string }
  | { type: "saving" }
  | { type: "behind" }
  | { type: "failed"; error: unknown };

/** Whether the draft is saved: "Saved 10:42". */
export function SaveStatus({ state }: { state: SaveState }) {
  const now = useNow(60_000);
  return (
    <Text size="sm" c={isFailed(state) ? "red" : "dimmed"} flex="none" role="status" aria-label={text.status.label}>
      {state.type === "saved"
        ? text.status.saved(clockTime(state.at, now))
        : text.status[state.type === "saving" ? "saving" : "notSaved"]}
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
      <Notice label={text.notice.compare} onClick={onCompare}>
        {text.notice.behind}
      </Notice>
    );
  }
  if (state.type !== "failed") return null;
  return (
    <Notice label={text.notice.saveNow} onClick={onSave}>
      {text.notice.failed(reasonOf(state.error), isPassing(state.error), isKept)}
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
  if (error instanceof ApiProblem && error.status === 0) return text.notice.noAnswer;
  const [first] = error instanceof ApiProblem && error.code === "invalid_request" ? error.errors : [];
  return first === undefined ? messageOf(error) : text.notice.problem(first.path, first.message);
}
