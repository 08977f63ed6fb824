import { Alert, Button, FileButton, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { IconFileUpload } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useLocation } from "wouter";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useAction } from "../../api/queries.ts";
import { common } from "../../strings/en/common.ts";
import { workflows } from "../../strings/en/workflows.ts";
import { ProblemText } from "../../ui/states.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { FileProblems } from "./file-problems.tsx";

const text = workflows.import;
const PATH = "/api/v1/automation/workflows/import";
/** The service's limit (schema/contract/workflow-file.ts). */
const MAX_BYTES = 1_024 * 1_024;

/** Creates a workflow from a file or a pasted text. A file with problems is not saved: they are listed by line. */
export function ImportDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={text.title} size="xl">
      <ImportForm onClose={onClose} />
    </Modal>
  );
}

function ImportForm({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const [file, setFile] = useState("");
  const [answer, setAnswer] = useState<Answer>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const check = useAction((file: string) => call("POST", PATH, { query: { dryRun: "true" }, body: file }));
  const save = useAction((file: string, { idempotencyKey }) => call("POST", PATH, { body: file }, { idempotencyKey }), {
    refreshes: ["/api/v1/automation/workflows"],
  });

  const write = (next: string) => {
    setFile(next);
    setAnswer(null);
  };
  const pick = async (chosen: File | null) => {
    if (chosen === null) return;
    if (chosen.size > MAX_BYTES) setAnswer({ error: new Error(text.tooLarge) });
    else write(await chosen.text());
  };
  const refused = (error: unknown) =>
    setAnswer(error instanceof ApiProblem && error.errors.length > 0 ? { problems: error.errors } : { error });

  return (
    <Stack gap="sm">
      <Text size="sm">{text.intro}</Text>
      <Group>
        <FileButton onChange={(chosen) => void pick(chosen)} accept=".yaml,.yml,.json">
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconFileUpload size={16} aria-hidden />}>
              {text.chooseFile}
            </Button>
          )}
        </FileButton>
      </Group>
      <Textarea
        ref={area}
        label={text.content}
        placeholder={text.placeholder}
        value={file}
        onChange={(event) => write(event.currentTarget.value)}
        autosize
        minRows={8}
        maxRows={20}
        spellCheck={false}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: "var(--bellhop-mono-size)" } }}
      />
      <Outcome answer={answer} file={file} area={area.current} />
      <Group justify="flex-end" gap="xs">
        <Button variant="subtle" color="gray" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button
          variant="default"
          disabled={file.trim() === ""}
          loading={check.isPending}
          onClick={() =>
            check.mutate(file, {
              onSuccess: (answer) =>
                setAnswer("valid" in answer && !answer.valid ? { problems: answer.errors } : { problems: [] }),
              onError: refused,
            })
          }
        >
          {text.check}
        </Button>
        <Button
          disabled={file.trim() === ""}
          loading={save.isPending}
          onClick={() =>
            save.mutate(file, {
              onSuccess: (created) => {
                if (!("id" in created)) return;
                toastSuccess(text.done(created.name));
                navigate(`/workflows/${created.id}`);
              },
              onError: refused,
            })
          }
        >
          {text.submit}
        </Button>
      </Group>
    </Stack>
  );
}

type Answer = { problems: readonly FieldError[] } | { error: unknown } | null;

function Outcome({ answer, file, area }: { answer: Answer; file: string; area: HTMLTextAreaElement | null }) {
  if (answer === null) return null;
  if ("problems" in answer) {
    return answer.problems.length === 0 ? (
      <Alert color="teal" role="status">
        {text.noProblems}
      </Alert>
    ) : (
      <FileProblems problems={answer.problems} text={file} area={area} />
    );
  }
  return (
    <Alert color="red" role="alert" title={text.failed}>
      <ProblemText error={answer.error} />
    </Alert>
  );
}
