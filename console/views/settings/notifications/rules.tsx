import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { NotificationRuleView, RuleTest } from "../../../../schema/contract/notification-rule.ts";
import { PAGE_SIZE_MAX } from "../../../../schema/limits.ts";
import { call } from "../../../api/client.ts";
import { useAll } from "../../../api/use-all.ts";
import { useCan } from "../../../app/session.tsx";
import { common } from "../../../strings/en/common.ts";
import { notificationRules as text } from "../../../strings/en/notification-rules.ts";
import { DeleteButton } from "../../../ui/delete-button.tsx";
import { ListSection } from "../../../ui/list-section.tsx";
import { ACTIONS, ListTable } from "../../../ui/list-table.tsx";
import type { Column } from "../../../ui/list-table.tsx";
import { TimeAgo } from "../../../ui/time.tsx";
import { WorkflowName } from "../../executions/workflow-name.tsx";
import { NoticesDialog, TestDialog } from "./rule-dialogs.tsx";
import { RuleForm } from "./rule-form.tsx";
import { TestButton } from "./test-button.tsx";

const LIST = "/api/v1/automation/notification-rules";
const READ_AGAIN_MS = 30_000;

type Open =
  | { dialog: "create" }
  | { dialog: "edit" | "notices"; rule: NotificationRuleView }
  | { dialog: "tested"; rule: NotificationRuleView; test: RuleTest };

/** The rules that say what is reported to which receivers. */
export function Rules() {
  const all = useAll(LIST, { query: { limit: PAGE_SIZE_MAX } }, { everyMs: READ_AGAIN_MS });
  const receivers = useAll("/api/v1/automation/notification-receivers", { query: { limit: PAGE_SIZE_MAX } });
  const mayWrite = useCan("admin");
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  const nameOf = (id: string) => receivers.items?.find((one) => one.id === id)?.name ?? text.messages.deleted;
  return (
    <>
      <ListSection text={text} list={all} onCreate={mayWrite ? () => setOpen({ dialog: "create" }) : null}>
        {(items) => <RuleTable items={items} nameOf={nameOf} mayWrite={mayWrite} open={setOpen} />}
      </ListSection>
      {open?.dialog === "create" ? <RuleForm rule={null} close={close} /> : null}
      {open?.dialog === "edit" ? <RuleForm rule={open.rule} close={close} /> : null}
      {open?.dialog === "notices" ? <NoticesDialog rule={open.rule} nameOf={nameOf} close={close} /> : null}
      {open?.dialog === "tested" ? (
        <TestDialog name={open.rule.name} test={open.test} nameOf={nameOf} close={close} />
      ) : null}
    </>
  );
}

interface RuleTableProps {
  items: readonly NotificationRuleView[];
  nameOf: (receiverId: string) => string;
  mayWrite: boolean;
  open: (dialog: Open) => void;
}

function RuleTable({ items, nameOf, mayWrite, open }: RuleTableProps) {
  const columns: readonly Column<NotificationRuleView>[] = [
    { name: common.name, isLong: true, onCard: "title", cell: ({ name }) => <Text size="sm">{name}</Text> },
    { name: text.columns.event, isLong: true, cell: ({ on }) => text.on[on] },
    { name: text.columns.about, isLong: true, cell: (rule) => <About rule={rule} /> },
    { name: text.columns.receivers, isLong: true, cell: ({ receivers }) => text.names(receivers.map(nameOf)) },
    { name: text.columns.state, isLong: true, cell: (rule) => <State rule={rule} /> },
    {
      name: ACTIONS,
      onCard: "below",
      cell: (rule) => <Buttons rule={rule} mayWrite={mayWrite} open={open} />,
    },
  ];
  return <ListTable label={text.title} rows={items} columns={columns} keyOf={({ id }) => id} minWidth={900} />;
}

function About({ rule }: { rule: NotificationRuleView }) {
  if ("poolIds" in rule && rule.poolIds !== undefined) return <>{text.names(rule.poolIds)}</>;
  if (!("scope" in rule))
    return <>{"minutes" in rule && rule.on !== "database_trouble" ? text.allPools : text.deployment}</>;
  const { tags, workflowIds } = rule.scope;
  if (tags !== undefined) return <>{text.names(tags)}</>;
  if (workflowIds === undefined) return <>{text.everything}</>;
  return (
    <Stack gap={0}>
      {workflowIds.map((id) => (
        <Text key={id} size="sm" span>
          <WorkflowName id={id} />
        </Text>
      ))}
    </Stack>
  );
}

function State({ rule: { enabled, lastFailure, quietHours } }: { rule: NotificationRuleView }) {
  return (
    <Stack gap={2} align="flex-start">
      <Badge color={enabled ? "teal" : "gray"} variant="light" radius="sm" tt="none">
        {enabled ? text.states.on : text.states.off}
      </Badge>
      {quietHours == null ? null : (
        <Text size="xs" title={quietHours.timeZone}>
          {text.quiet(quietHours)}
        </Text>
      )}
      {lastFailure === null ? null : (
        <Text size="xs" c="red" title={lastFailure.detail}>
          {text.lastFailed(<TimeAgo key="at" at={lastFailure.at} />)}
        </Text>
      )}
    </Stack>
  );
}

function Buttons({ rule, mayWrite, open }: { rule: NotificationRuleView } & Pick<RuleTableProps, "mayWrite" | "open">) {
  const { id, name } = rule;
  const path = { id };
  const small = { size: "xs", px: "xs", variant: "default" } as const;
  return (
    <Group gap={4} justify="flex-end">
      <Button {...small} aria-label={text.noticesOf(name)} onClick={() => open({ dialog: "notices", rule })}>
        {text.notices}
      </Button>
      {mayWrite ? (
        <>
          <TestButton
            text={text}
            name={name}
            perform={() => call("POST", `${LIST}/{id}/test`, { path })}
            onDone={(test) => open({ dialog: "tested", rule, test })}
          />
          <Button {...small} aria-label={text.edit(name)} onClick={() => open({ dialog: "edit", rule })}>
            {common.edit}
          </Button>
          <DeleteButton
            name={name}
            effect={text.deleteEffect}
            perform={() => call("DELETE", `${LIST}/{id}`, { path })}
            list={LIST}
          />
        </>
      ) : null}
    </Group>
  );
}
