import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { receiverTypeSchema } from "../../../../schema/contract/notification-receiver.ts";
import type { NotificationReceiverView, ReceiverType } from "../../../../schema/contract/notification-receiver.ts";
import { call } from "../../../api/client.ts";
import { useAction } from "../../../api/queries.ts";
import { common } from "../../../strings/en/common.ts";
import { receivers as text } from "../../../strings/en/notification-channels.ts";
import { DialogForm } from "../../../ui/dialog-form.tsx";
import { useFieldErrors } from "../../../ui/field-errors.ts";
import { toastSuccess } from "../../../ui/toast.tsx";

const LIST = "/api/v1/automation/notification-receivers";
const TYPES: readonly ReceiverType[] = ["email", "slack", "teams", "webhook", "sms"];

/** Creates a receiver, or changes an existing one. */
export function ReceiverForm({ receiver, close }: { receiver: NotificationReceiverView | null; close: () => void }) {
  const [name, setName] = useState(receiver?.name ?? "");
  const [type, setType] = useState<ReceiverType>(receiver?.type ?? "email");
  const [to, setTo] = useState(receiver?.to?.join(", ") ?? "");
  // An empty field keeps a secret address, which the console does not have.
  const isKept = receiver !== null && receiver.to === null && receiver.type === type && to.trim() === "";
  const save = useAction(
    (body: { name: string; type: ReceiverType; to: string }, options) => {
      if (receiver === null) return call("POST", LIST, { body }, options);
      const { to: _to, ...without } = body;
      return call(
        "PUT",
        `${LIST}/{id}`,
        { path: { id: receiver.id }, body: isKept ? without : body },
        { ifMatch: receiver.revision },
      );
    },
    {
      refreshes: [LIST],
      onDone: (saved) => {
        toastSuccess(receiver === null ? text.created(saved.name) : text.saved(saved.name));
        close();
      },
    },
  );
  const errors = useFieldErrors(save.error, { name, type, to }, type);
  const error = errors.of;
  const { label, hint } = text.addresses[type];
  return (
    <DialogForm
      title={receiver === null ? text.create : text.edit(receiver.name)}
      submitLabel={receiver === null ? common.create : common.save}
      close={close}
      submit={() => save.mutate({ name: name.trim(), type, to: to.trim() })}
      isPending={save.isPending}
      error={errors.rest}
    >
      <TextInput
        label={common.name}
        required
        maxLength={200}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={error("name")}
      />
      <NativeSelect
        label={text.type}
        data={TYPES.map((value) => ({ value, label: text.types[value] }))}
        value={type}
        onChange={(event) => setType(receiverTypeSchema.catch("email").parse(event.currentTarget.value))}
        error={error("type")}
      />
      <TextInput
        label={label}
        description={
          receiver !== null && receiver.to === null && receiver.type === type
            ? text.keepAddress(receiver.toShown)
            : hint
        }
        required={!isKept}
        autoComplete="off"
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
        error={error("to")}
      />
    </DialogForm>
  );
}
