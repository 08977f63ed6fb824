import "../../api/zod-config.ts";
import { useState } from "react";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { useRead } from "../../api/queries.ts";
import { Page } from "../../ui/page.tsx";
import { ReadState } from "../../ui/states.tsx";
import { Designer } from "./designer.tsx";
import { begin } from "./model/history.ts";
import { draftOf } from "../../../schema/contract/draft.ts";
import { useIsSettled } from "./save/put-draft.ts";
import { common } from "../../strings/en/common.ts";

/** /workflows/:id/edit */
export default function Edit({ params }: { params: Record<string, string | undefined> }) {
  const { id = "" } = params;
  const read = useRead("/api/v1/automation/workflows/{id}", { path: { id } });
  const isSettled = useIsSettled(id);
  if (read.data === undefined || !isSettled) {
    return (
      <Page title={common.workflow} above={[{ label: common.workflows, href: "/workflows" }]}>
        <ReadState read={read} what={`workflow ${id}`}>
          {() => null}
        </ReadState>
      </Page>
    );
  }
  return <ReadState read={read}>{(workflow) => <Loaded key={workflow.id} workflow={workflow} />}</ReadState>;
}

function Loaded({ workflow }: { workflow: WorkflowView }) {
  const [initial] = useState(() => begin(draftOf(workflow)));
  return <Designer workflow={workflow} initial={initial} />;
}
