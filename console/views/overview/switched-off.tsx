import { Button } from "@mantine/core";
import type { Overview, SwitchedOffWorkflow } from "../../../schema/contract/overview.ts";
import { call } from "../../api/client.ts";
import { OVERVIEW } from "../../api/overview.ts";
import { useCan } from "../../app/session.tsx";
import { overview } from "../../strings/en/overview.ts";
import { TimeAgo } from "../../ui/time.tsx";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";
import classes from "./overview.module.css";
import { Detail, Row } from "./row.tsx";
import { ListSection } from "./section.tsx";

const text = overview.switchedOff;
const WORKFLOWS = "/api/v1/automation/workflows";

/** Workflows whose schedules the service has switched off, until a person activates them again. */
export function SwitchedOff({ switchedOff }: { switchedOff: Overview["switchedOff"] }) {
  return (
    <ListSection
      title={text.title}
      section={switchedOff}
      all={{ href: "/workflows", label: text.all }}
      row={(workflow) => <SwitchedOffRow key={workflow.id} workflow={workflow} />}
    />
  );
}

function SwitchedOffRow({ workflow }: { workflow: SwitchedOffWorkflow }) {
  const { id, name, autoDisabledAt, autoDisableReason, revision } = workflow;
  const mayActivate = useCan("automation:write");
  const activate = useToastMutation(
    (ifMatch: number) => call("POST", `${WORKFLOWS}/{id}/activate`, { path: { id } }, { ifMatch }),
    {
      done: () => text.done(name),
      failed: text.failed(name),
      refreshes: [OVERVIEW, WORKFLOWS],
    },
  );
  return (
    <Row
      href={`/workflows/${id}`}
      name={name}
      time={<TimeAgo at={autoDisabledAt} />}
      detail={
        <Detail>
          {[autoDisableReason, mayActivate ? null : text.notAllowed].filter((part) => part !== null).join(" ")}
        </Detail>
      }
      actions={
        mayActivate ? (
          <div className={classes["action"]}>
            <Button
              size="xs"
              variant="default"
              onClick={() => void activate.run(revision)}
              loading={activate.isPending}
              aria-label={text.activateNamed(name)}
            >
              {text.activate}
            </Button>
          </div>
        ) : null
      }
    />
  );
}
