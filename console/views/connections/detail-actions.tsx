import { ActionIcon, Button, Menu, Tooltip } from "@mantine/core";
import { IconDots, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { Link } from "wouter";
import { useCan } from "../../app/session.tsx";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import { useDelete } from "./use-delete.tsx";
import { useEnable } from "./use-enable.tsx";

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
        Edit
      </Button>
      <Menu position="bottom-end" withArrow>
        <Menu.Target>
          <Tooltip label="More">
            <ActionIcon variant="default" size={36} aria-label="More" loading={enable.isPending || remove.isPending}>
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
            {connection.enabled ? "Disable" : "Enable"}
          </Menu.Item>
          <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={remove.begin}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
