import { ActionIcon, Button, Menu } from "@mantine/core";
import { IconDots, IconEdit, IconKey, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import type { AgentView } from "../../../schema/contract/management.ts";
import { agents } from "../../strings/en/agents.ts";
import { common } from "../../strings/en/common.ts";
import { DeleteAgent } from "./delete-agent.tsx";
import { EditAgent } from "./edit-agent.tsx";
import { EnableButton } from "./enable-button.tsx";
import { RegenerateKey } from "./regenerate-key.tsx";
import { SetUpAgentDialog } from "./set-up-agent.tsx";

const text = agents.actions;

/** The buttons and menu that change an agent, for people with `agents:write`. */
export function AgentActions({ agent }: { agent: AgentView }) {
  const [open, setOpen] = useState<"edit" | "key" | "install" | "delete" | null>(null);
  const close = () => setOpen(null);
  // An enrolment gives it a new key, in place of one that was lost.
  const isNew = agent.registration === null;
  return (
    <>
      {isNew ? <Button onClick={() => setOpen("install")}>{text.install}</Button> : null}
      <EnableButton agent={agent} />
      <Button variant="default" leftSection={<IconEdit size={16} aria-hidden />} onClick={() => setOpen("edit")}>
        {text.edit}
      </Button>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={common.more}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isNew ? null : (
            <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={() => setOpen("key")}>
              {text.regenerateKey}
            </Menu.Item>
          )}
          <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={() => setOpen("delete")}>
            {common.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {open === "edit" ? <EditAgent agent={agent} onClose={close} /> : null}
      {open === "install" ? <SetUpAgentDialog agent={agent} onClose={close} /> : null}
      {open === "key" ? <RegenerateKey agent={agent} onClose={close} /> : null}
      {open === "delete" ? <DeleteAgent agent={agent} onClose={close} /> : null}
    </>
  );
}
