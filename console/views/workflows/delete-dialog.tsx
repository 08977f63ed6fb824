import { Radio, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { retention } from "../../strings/en/retention.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";

const text = retention.deleteWorkflow;
const CHOICES = ["keep", "delete"] as const;
/** What becomes of the executions of a deleted workflow. */
export type ExecutionsChoice = (typeof CHOICES)[number];

/** Asks before a workflow is deleted. */
export function DeleteDialog(props: {
  name: string;
  isPending: boolean;
  close: () => void;
  remove: (executions: ExecutionsChoice) => void;
}) {
  const { name, isPending, close, remove } = props;
  const [choice, setChoice] = useState<ExecutionsChoice>("keep");
  return (
    <DialogForm
      title={text.title(name)}
      submitLabel={text.submit}
      submitColor="red"
      close={close}
      submit={() => remove(choice)}
      isPending={isPending}
      error={null}
    >
      <Text size="sm">{text.effect}</Text>
      <Radio.Group
        label={text.choice}
        value={choice}
        onChange={(value) => setChoice(CHOICES.find((each) => each === value) ?? "keep")}
      >
        <Stack gap="xs" mt="xs">
          {CHOICES.map((each) => (
            <Radio key={each} value={each} label={text[each]} />
          ))}
        </Stack>
      </Radio.Group>
    </DialogForm>
  );
}
