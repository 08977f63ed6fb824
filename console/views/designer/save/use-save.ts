import { useRef, useState } from "react";
import type { WorkflowView } from "../../../../schema/contract/management.ts";
import { call } from "../../../api/client.ts";
import { ApiProblem } from "../../../api/problem.ts";
import { useAction } from "../../../api/queries.ts";
import { toastFailure } from "../../../ui/toast.tsx";
import type { Draft } from "../model/commands.ts";
import type { RefusedDraft } from "../use-designer-state.ts";
import { draftOf } from "../../../../schema/contract/draft.ts";
import { isSameDraft } from "../model/same.ts";
import { VERBS } from "../../workflows/mutations.ts";

const ONE = "/api/v1/automation/workflows/{id}";
const REFRESHES = [ONE, "/api/v1/automation/workflows", `${ONE}/versions`] as const;

/** The last known state of the workflow at the service. */
export interface Saved {
  workflow: WorkflowView;
  draft: Draft;
  /** The revision is older than the service's: another person has saved changes since. */
  isBehind: boolean;
}

export type Refusal = "conflict" | "problems" | "failed";

export function savedAs(workflow: WorkflowView): Saved {
  return { workflow, draft: draftOf(workflow), isBehind: false };
}

type Command = "publish" | "activate" | "deactivate";

/** Saves, publishes and activates. Each resolves to the workflow, or to a refusal that the person has already seen. */
export function useSave(
  initial: WorkflowView | null,
  onConflict: () => void,
  onProblems: (error: ApiProblem) => void,
  onRefused: (refused: RefusedDraft) => void,
) {
  const [saved, setSaved] = useState(() => (initial === null ? null : savedAs(initial)));
  const [busy, setBusy] = useState(false);
  const underWay = useRef(false);
  const create = useAction((body: Draft, options) => call("POST", "/api/v1/automation/workflows", { body }, options), {
    refreshes: REFRESHES,
  });
  const replace = useAction(
    ({ id, revision, body }: { id: string; revision: number; body: Draft }) =>
      call("PUT", ONE, { path: { id }, body }, { ifMatch: revision }),
    { refreshes: REFRESHES },
  );
  const act = useAction(
    ({ id, revision, command, message }: { id: string; revision: number; command: Command; message: string }) =>
      VERBS[command](id, revision, { message }),
    { refreshes: REFRESHES },
  );

  const report = (title: string, error: unknown, draft: Draft | null): Refusal => {
    if (error instanceof ApiProblem && error.status === 412) {
      onConflict();
      return "conflict";
    }
    if (error instanceof ApiProblem && error.code === "invalid_request" && error.errors.length > 0) {
      onProblems(error);
      return "problems";
    }
    if (error instanceof ApiProblem && error.code === "forbidden" && error.errors.length > 0 && draft !== null) {
      onRefused({ draft, errors: error.errors });
    }
    const isSignedOut = error instanceof ApiProblem && error.status === 401;
    toastFailure(title, isSignedOut ? new Error(SIGNED_OUT) : error);
    return "failed";
  };
  const once = async (perform: () => Promise<WorkflowView | Refusal>): Promise<WorkflowView | Refusal> => {
    // Two simultaneous saves would conflict with each other.
    if (underWay.current) return "failed";
    underWay.current = true;
    setBusy(true);
    try {
      return await perform();
    } finally {
      underWay.current = false;
      setBusy(false);
    }
  };
  const store = async (draft: Draft, over?: number): Promise<WorkflowView | Refusal> => {
    if (saved !== null && over === undefined && isSameDraft(draft, saved.draft)) return saved.workflow;
    try {
      const workflow =
        saved === null
          ? await create.mutateAsync(draft)
          : await replace.mutateAsync({
              id: saved.workflow.id,
              revision: over ?? saved.workflow.revision,
              body: draft,
            });
      setSaved(savedAs(workflow));
      return workflow;
    } catch (error) {
      return report("The workflow was not saved", error, draft);
    }
  };
  return {
    saved,
    setSaved,
    busy,
    /** `over`: the revision of another person that this save may replace. */
    save: (draft: Draft, over?: number) => once(() => store(draft, over)),
    /** Saves first, so that the commands apply to the draft on the screen. */
    perform: (commands: readonly Command[], draft: Draft | null, message = "") =>
      once(async () => {
        let workflow = draft === null ? (saved?.workflow ?? "failed") : await store(draft);
        for (const command of commands) {
          if (typeof workflow === "string") return workflow;
          try {
            workflow = await act.mutateAsync({ id: workflow.id, revision: workflow.revision, command, message });
            setSaved(savedAs(workflow));
          } catch (error) {
            return report(`The workflow was not ${DONE[command]}`, error, draft);
          }
        }
        return workflow;
      }),
  };
}

const SIGNED_OUT = "Sign in again. This browser keeps your changes and offers them here.";
const DONE: Record<Command, string> = { publish: "published", activate: "activated", deactivate: "deactivated" };
