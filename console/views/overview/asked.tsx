import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import type { AskedRun, Overview } from "../../../schema/contract/overview.ts";
import { useCan } from "../../app/session.tsx";
import { overview as text } from "../../strings/en/overview.ts";
import { TimeAgo } from "../../ui/time.tsx";
import { BeginButton } from "../maintenance/begin-button.tsx";
import { Detail, Row, nameOf } from "./row.tsx";
import { ListSection } from "./section.tsx";

/** The runs that wait for a person because of a maintenance window. */
export default function Asked({ asked }: { asked: Overview["asked"] }) {
  const mayRun = useCan("automation:execute");
  return (
    <ListSection
      title={text.asked.title}
      section={asked}
      all={{ href: "/maintenance", label: text.asked.all }}
      row={(run) => <AskedRow key={run.executionId} run={run} mayRun={mayRun} />}
    />
  );
}

function AskedRow({ run, mayRun }: { run: AskedRun; mayRun: boolean }) {
  const { executionId, key, startedAt, window } = run;
  return (
    <Row
      href={`/executions/${executionId}`}
      name={nameOf(run)}
      beside={key === undefined ? null : <Text size="sm">{key}</Text>}
      time={<TimeAgo at={startedAt} />}
      detail={
        <Detail>
          {text.asked.window(
            <Anchor component={Link} href={`/maintenance/${window.id}`} inherit>
              {window.name}
            </Anchor>,
          )}
        </Detail>
      }
      actions={mayRun ? <BeginButton executionId={executionId} size="xs" /> : null}
    />
  );
}
