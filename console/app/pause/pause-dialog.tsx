import { Text, Textarea } from "@mantine/core";
import { useState } from "react";
import { PAUSE_REASON_MAX_CHARS } from "../../../schema/limits.ts";
import { call } from "../../api/client.ts";
import { OVERVIEW } from "../../api/overview.ts";
import { useAction } from "../../api/queries.ts";
import { pause as text } from "../../strings/en/pause.ts";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { useFieldErrors } from "../../ui/field-errors.ts";
import { toastSuccess } from "../../ui/toast.tsx";

/** Asks for the reason, and pauses all runs. */
export default function PauseDialog({ close }: { close: () => void }) {
  const [reason, setReason] = useState("");
  const pause = useAction(() => call("PUT", "/api/v1/automation/pause", { body: { reason } }), {
    refreshes: [OVERVIEW],
    onDone: () => {
      toastSuccess(text.dialog.done);
      close();
    },
  });
  const errors = useFieldErrors(pause.error, { reason });
  return (
    <DialogForm
      title={text.dialog.title}
      submitLabel={text.dialog.submit}
      close={close}
      submit={() => pause.mutate()}
      isPending={pause.isPending}
      error={errors.rest}
    >
      <Text size="sm">{text.dialog.effect}</Text>
      <Textarea
        label={text.dialog.reason}
        description={text.dialog.reasonHint}
        error={errors.of("reason")}
        data-autofocus
        required
        autosize
        maxRows={4}
        maxLength={PAUSE_REASON_MAX_CHARS}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        onKeyDown={(event) => {
          // The reason is one line.
          if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
    </DialogForm>
  );
}
