import { ActionIcon, Button, Menu, Tooltip } from "@mantine/core";
import { IconDots, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { Link } from "wouter";
import { useCan } from "../../app/session.tsx";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import { useDelete } from "./use-delete.tsx";
import { call } from "../../api/client.ts";
import { common } from "../../strings/en/common.ts";
import { connections } from "../../strings/en/connections.ts";
import { confirm } from "../../ui/confirm.tsx";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";

const text = connections.enable;
const PATH = "/api/v1/automation/connections/{id}";

/** The actions on a connection, for people with the permission. */
export function DetailActions({ connection }: { connection: ConnectionView }) {
  const mayWrite = useCan("connections:write");
  const enable = useEnable(connection);
  const remove = useDelete(connection);
  if (!mayWrite) return null;
  return (
    <>
      <Button
        variant="default"
        component={Link}
        href={`/connections/${connection.id}/edit`}
        leftSection={<IconPencil size={16} aria-hidden />}
      >
        {common.edit}
      </Button>
      <Menu position="bottom-end" withArrow>
        <Menu.Target>
          <Tooltip label={common.more}>
            <ActionIcon
              variant="default"
              size={36}
              aria-label={common.more}
              loading={enable.isPending || remove.isPending}
            >
              <IconDots size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={
              connection.enabled ? <IconPlayerPause size={16} aria-hidden /> : <IconPlayerPlay size={16} aria-hidden />
            }
            onClick={enable.begin}
          >
            {connection.enabled ? common.disable : common.enable}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={remove.begin}>
            {common.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}

/** Enables a connection, or disables it after a confirmation. */
function useEnable({ id, name, enabled, revision }: ConnectionView) {
  const change = useToastMutation(
    () =>
      enabled
        ? call("POST", `${PATH}/disable`, { path: { id } }, { ifMatch: revision })
        : call("POST", `${PATH}/enable`, { path: { id } }, { ifMatch: revision }),
    {
      done: (now) => (now.enabled ? text.enabled(name) : text.disabled(name)),
      failed: enabled ? text.notDisabled(name) : text.notEnabled(name),
      refreshes: ["/api/v1/automation/connections", PATH],
    },
  );
  const begin = async () => {
    const asked =
      !enabled ||
      (await confirm({
        title: text.title(name),
        body: text.effect,
        confirmLabel: common.disable,
        keepLabel: text.keep,
        danger: true,
      }));
    if (asked) await change.run(undefined);
  };
  return { isPending: change.isPending, begin: () => void begin() };
}
