import { Alert, Anchor, Button, Group, Text } from "@mantine/core";
import { IconPlayerPause } from "@tabler/icons-react";
import { Link } from "wouter";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { call } from "../../api/client.ts";
import { useCan } from "../../app/session.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";

const LIST = "/api/v1/automation/workflows";
const SHOWN = 3;

/** Workflows whose schedules the service has switched off, until a person activates them again. */
export function WorkflowBanners({ workflows }: { workflows: readonly WorkflowView[] }) {
  const disabled = workflows
    .filter(({ autoDisabledAt }) => autoDisabledAt !== null)
    .toSorted((a, b) => ((a.autoDisabledAt ?? "") < (b.autoDisabledAt ?? "") ? 1 : -1));
  if (disabled.length === 0) return null;
  return (
    <>
      {disabled.slice(0, SHOWN).map((workflow) => (
        <Banner key={workflow.id} workflow={workflow} />
      ))}
      {disabled.length > SHOWN ? (
        <Text size="sm">
          {disabled.length - SHOWN} more were switched off by the service:{" "}
          <Anchor component={Link} href="/workflows" size="sm" underline="always">
            see the workflows
          </Anchor>
          .
        </Text>
      ) : null}
    </>
  );
}

function Banner({ workflow }: { workflow: WorkflowView }) {
  const { id, name, autoDisabledAt, autoDisableReason, revision } = workflow;
  const mayActivate = useCan("automation:write");
  const activate = useToastMutation(
    (ifMatch: number) => call("POST", `${LIST}/{id}/activate`, { path: { id } }, { ifMatch }),
    {
      done: () => `${name} is active again.`,
      failed: `${name} was not activated`,
      refreshes: [LIST],
    },
  );
  return (
    <Alert
      color="yellow"
      icon={<IconPlayerPause aria-hidden />}
      title={
        <>
          The service switched off{" "}
          <Anchor component={Link} href={`/workflows/${id}`} inherit underline="always" c="inherit">
            {name}
          </Anchor>{" "}
          <TimeAgo at={autoDisabledAt} />
        </>
      }
    >
      <Group justify="space-between" gap="sm" align="flex-end">
        <Text size="sm" flex={1} miw={200}>
          {autoDisableReason}
          {mayActivate ? "" : " Your role does not allow activating workflows: ask an editor."}
        </Text>
        {mayActivate ? (
          <Button
            size="xs"
            variant="default"
            onClick={() => void activate.run(revision)}
            loading={activate.isPending}
            aria-label={`Activate ${name} again`}
          >
            Activate again
          </Button>
        ) : null}
      </Group>
    </Alert>
  );
}
