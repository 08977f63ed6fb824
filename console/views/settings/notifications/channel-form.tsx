import type { NotificationChannelView } from "../../../../schema/contract/notification-channel.ts";
import { useState } from "react";
import { call } from "../../../api/client.ts";
import { useAction } from "../../../api/queries.ts";
import { common } from "../../../strings/en/common.ts";
import { channelForm as text } from "../../../strings/en/notification-channels.ts";
import { DialogForm } from "../../../ui/dialog-form.tsx";
import { useFieldErrors } from "../../../ui/field-errors.ts";
import { toastSuccess } from "../../../ui/toast.tsx";
import { bodyOf, draftOf, fieldsOf } from "./channel-draft.ts";
import type { ChannelDraft } from "./channel-draft.ts";
import { EmailFields, SmsFields, WebhookFields } from "./channel-fields.tsx";

const LIST = "/api/v1/automation/notification-channels";
const PARTS = { email: EmailFields, sms: SmsFields, webhook: WebhookFields } as const;

/** The settings of a channel. Secrets are sent and never shown; an empty one keeps the saved one. */
export function ChannelForm({ channel, close }: { channel: NotificationChannelView; close: () => void }) {
  const [draft, setDraft] = useState<ChannelDraft>(() => draftOf(channel));
  const kind = channel.channel;
  const save = useAction(
    () => call("PUT", `${LIST}/{channel}`, { path: { channel: kind }, body: bodyOf(kind, draft) }),
    {
      refreshes: [LIST],
      onDone: () => {
        toastSuccess(text.saved);
        close();
      },
    },
  );
  const errors = useFieldErrors(save.error, fieldsOf(kind, draft));
  const Fields = PARTS[kind];
  return (
    <DialogForm
      title={text.title(text.names[kind])}
      submitLabel={common.save}
      close={close}
      submit={() => save.mutate(undefined)}
      isPending={save.isPending}
      error={errors.rest}
    >
      <Fields
        draft={draft}
        change={(fields) => setDraft((before) => ({ ...before, ...fields }))}
        hasSecret={channel.stored !== null}
        hasFormer={channel.configured}
        error={errors.of}
      />
    </DialogForm>
  );
}
