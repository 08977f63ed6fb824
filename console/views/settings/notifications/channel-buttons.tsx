import { Button, Group } from "@mantine/core";
import { useState } from "react";
import type { NotificationChannelView } from "../../../../schema/contract/notification-channel.ts";
import { call } from "../../../api/client.ts";
import { channelForm as text } from "../../../strings/en/notification-channels.ts";
import { confirm } from "../../../ui/confirm.tsx";
import { useToastMutation } from "../../../ui/use-toast-mutation.ts";
import { ChannelForm } from "./channel-form.tsx";

const LIST = "/api/v1/automation/notification-channels";

/** For administrators: edits a channel's settings, and removes the saved ones. */
export function ChannelButtons({ channel }: { channel: NotificationChannelView }) {
  const [isOpen, setIsOpen] = useState(false);
  const name = text.names[channel.channel];
  const remove = useToastMutation(() => call("DELETE", `${LIST}/{channel}`, { path: { channel: channel.channel } }), {
    done: () => text.removal.done,
    failed: text.removal.failed,
    refreshes: [LIST],
  });
  const ask = async () => {
    const { title, effect, keep } = text.removal;
    const options = { title: title(name), body: effect, confirmLabel: text.remove, keepLabel: keep, danger: true };
    if (await confirm(options)) await remove.run(undefined);
  };
  const small = { size: "xs", variant: "default" } as const;
  return (
    <Group gap="xs">
      <Button {...small} aria-label={text.editOf(name)} onClick={() => setIsOpen(true)}>
        {text.edit}
      </Button>
      {channel.stored === null ? null : (
        <Button {...small} aria-label={text.removeOf(name)} loading={remove.isPending} onClick={() => void ask()}>
          {text.remove}
        </Button>
      )}
      {isOpen ? <ChannelForm channel={channel} close={() => setIsOpen(false)} /> : null}
    </Group>
  );
}
