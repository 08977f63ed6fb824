import { Alert, Button, FileButton, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { IconFileUpload } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useLocation } from "wouter";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useAction } from "../../api/queries.ts";
import { ProblemText } from "../../ui/states.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { FileProblems } from "./file-problems.tsx";

const PATH = "/api/v1/automation/workflows/import";
/** The service's limit (schema/contract/workflow-file.ts). */
const MAX_BYTES = 1_024 * 1_024;

/** Creates a workflow from a file or a pasted text. A file with problems is not saved: they are listed by line. */
export function ImportDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Import a workflow" size="xl">
      <ImportForm onClose={onClose} />
    </Modal>
  );
}

function ImportForm({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const [answer, setAnswer] = useState<Answer>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const check = useAction((file: string) => call("POST", PATH, { query: { dryRun: "true" }, body: file }));
  const save = useAction((file: string, { idempotencyKey }) => call("POST", PATH, { body: file }, { idempotencyKey }), {
    refreshes: ["/api/v1/automation/workflows"],
  });

  const write = (next: string) => {
    setText(next);
    setAnswer(null);
  };
  const pick = async (file: File | null) => {
    if (file === null) return;
    if (file.size > MAX_BYTES) setAnswer({ error: new Error("The file is larger than 1 MiB. Choose a smaller one.") });
    else write(await file.text());
  };
  const refused = (error: unknown) =>
    setAnswer(error instanceof ApiProblem && error.errors.length > 0 ? { problems: error.errors } : { error });

  return (
    <Stack gap="sm">
      <Text size="sm">
        YAML or JSON, in the format of “Export YAML”. The workflow becomes a draft and does not run until it is
        published.
      </Text>
      <Group>
        <FileButton onChange={(file) => void pick(file)} accept=".yaml,.yml,.json">
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconFileUpload size={16} aria-hidden />}>
              Choose a file
            </Button>
          )}
        </FileButton>
      </Group>
      <Textarea
        ref={area}
        label="File content"
        placeholder={"apiVersion: bellhop/v1\nkind: Workflow\nname: …"}
        value={text}
        onChange={(event) => write(event.currentTarget.value)}
        autosize
        minRows={8}
        maxRows={20}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: "var(--bellhop-mono-size)" } }}
      />
      <Outcome answer={answer} text={text} area={area.current} />
      <Group justify="flex-end" gap="xs">
        <Button variant="subtle" color="gray" onClick={onClose}>
          Cancel
        </Button>
        <Button
          variant="default"
          disabled={text.trim() === ""}
          loading={check.isPending}
          onClick={() =>
            check.mutate(text, {
              onSuccess: (answer) =>
                setAnswer("valid" in answer && !answer.valid ? { problems: answer.errors } : { problems: [] }),
              onError: refused,
            })
          }
        >
          Check only
        </Button>
        <Button
          disabled={text.trim() === ""}
          loading={save.isPending}
          onClick={() =>
            save.mutate(text, {
              onSuccess: (created) => {
                if (!("id" in created)) return;
                toastSuccess(`“${created.name}” was imported as a draft.`);
                navigate(`/workflows/${created.id}`);
              },
              onError: refused,
            })
          }
        >
          Import
        </Button>
      </Group>
    </Stack>
  );
}

type Answer = { problems: readonly FieldError[] } | { error: unknown } | null;

function Outcome({ answer, text, area }: { answer: Answer; text: string; area: HTMLTextAreaElement | null }) {
  if (answer === null) return null;
  if ("problems" in answer) {
    return answer.problems.length === 0 ? (
      <Alert color="teal" role="status">
        No problems found.
      </Alert>
    ) : (
      <FileProblems problems={answer.problems} text={text} area={area} />
    );
  }
  return (
    <Alert color="red" role="alert" title="The file was not imported">
      <ProblemText error={answer.error} />
    </Alert>
  );
}
