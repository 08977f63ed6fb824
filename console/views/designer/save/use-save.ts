import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { draftOf } from "../../../../schema/contract/draft.ts";
import type { WorkflowView } from "../../../../schema/contract/management.ts";
import { call } from "../../../api/client.ts";
import { ApiProblem, isOutcomeUnknown } from "../../../api/problem.ts";
import { useAction } from "../../../api/queries.ts";
import { toastFailure } from "../../../ui/toast.tsx";
import type { Draft } from "../model/commands.ts";
import { isSameDraft } from "../model/same.ts";
import { VERBS } from "../../workflows/mutations.ts";
import type { RefusedDraft } from "../use-designer-state.ts";
import { LIST, ONE, putDraft } from "./put-draft.ts";
import { designerSaving } from "../../../strings/en/designer-saving.ts";

const text = designerSaving.failures;

/** The last known state of the workflow at the service. */
export interface Saved {
  workflow: WorkflowView;
  /** The designer's draft that is stored there. The service trims names and drops needless positions. */
  draft: Draft;
  /** The revision is older than the service's: another person has saved changes since. */
  isBehind: boolean;
}

export type Refusal = "conflict" | "problems" | "failed";

export function savedAs(workflow: WorkflowView, draft = draftOf(workflow)): Saved {
  return { workflow, draft, isBehind: false };
}

/** A draft that was not saved, and why. */
export interface Unsaved {
  draft: Draft;
  error: unknown;
}

type Command = "publish" | "activate" | "deactivate";
/** `isQuiet`: the designer saves by itself, so it opens no tab. */
type SaveOptions = { over?: number; isQuiet?: boolean };

interface Reactions {
  onConflict: () => void;
  onProblems: () => void;
  onRefused: (refused: RefusedDraft, isQuiet: boolean) => void;
}

/** Saves, publishes and activates. Each resolves to the workflow, or to a refusal that the person has already seen. */
export function useSave(initial: WorkflowView, { onConflict, onProblems, onRefused }: Reactions) {
  const queries = useQueryClient();
  const [saved, setSaved] = useState(() => savedAs(initial));
  const [unsaved, setUnsaved] = useState<Unsaved | null>(null);
  const [busy, setBusy] = useState(false);
  const underWay = useRef(false);
  /** A draft that may be stored, though its save failed. */
  const perhapsStored = useRef<Draft | null>(null);
  const act = useAction(
    ({ id, revision, command, message }: { id: string; revision: number; command: Command; message: string }) =>
      VERBS[command](id, revision, { message }),
    { refreshes: [ONE, LIST, `${ONE}/versions`] },
  );

  const isConflict = (error: unknown): boolean => {
    if (!(error instanceof ApiProblem) || error.status !== 412) return false;
    setSaved((before) => ({ ...before, isBehind: true }));
    onConflict();
    return true;
  };
  /** The page shows why a draft is not saved. Only the end of the session replaces the page. */
  const notSaved = (draft: Draft, error: unknown, isQuiet: boolean): Refusal => {
    if (isOutcomeUnknown(error)) perhapsStored.current = draft;
    if (isConflict(error)) return "conflict";
    setUnsaved({ draft, error });
    if (!(error instanceof ApiProblem)) return "failed";
    if (error.status === 401) toastFailure(text.notDone("saved"), new Error(text.signedOut));
    if (error.code === "forbidden" && error.errors.length > 0) onRefused({ draft, errors: error.errors }, isQuiet);
    if (error.code === "invalid_request" && !isQuiet) onProblems();
    return "failed";
  };
  const notDone = (command: Command, error: unknown, draft: Draft | null): Refusal => {
    if (isConflict(error)) return "conflict";
    if (error instanceof ApiProblem && error.code === "invalid_request" && error.errors.length > 0) {
      onProblems();
      return "problems";
    }
    if (error instanceof ApiProblem && error.code === "forbidden" && error.errors.length > 0 && draft !== null) {
      onRefused({ draft, errors: error.errors }, false);
    }
    toastFailure(text.notDone(DONE[command]), error);
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
  /** Repeats a save that found a newer revision when that revision is this page's own save, whose answer was lost. */
  const put = async (draft: Draft, revision: number): Promise<WorkflowView> => {
    const { id } = saved.workflow;
    try {
      return await putDraft(queries, { id, revision, draft });
    } catch (error) {
      const mine = perhapsStored.current;
      if (!(error instanceof ApiProblem) || error.status !== 412 || mine === null) throw error;
      const theirs = await call("GET", ONE, { path: { id } });
      if (!isSameDraft(draftOf(theirs), mine)) throw error;
      return putDraft(queries, { id, revision: theirs.revision, draft });
    }
  };
  const store = async (draft: Draft, { over, isQuiet = false }: SaveOptions = {}): Promise<WorkflowView | Refusal> => {
    if (over === undefined && !saved.isBehind && isSameDraft(draft, saved.draft)) return saved.workflow;
    try {
      const workflow = await put(draft, over ?? saved.workflow.revision);
      perhapsStored.current = null;
      setSaved(savedAs(workflow, draft));
      setUnsaved(null);
      return workflow;
    } catch (error) {
      return notSaved(draft, error, isQuiet);
    }
  };
  return {
    saved,
    setSaved,
    unsaved,
    busy,
    /** `over`: the revision of another person that this save may replace. */
    save: (draft: Draft, options?: SaveOptions) => once(() => store(draft, options)),
    /** Saves first, so that the commands apply to the draft on the screen. */
    perform: (commands: readonly Command[], draft: Draft | null, message = "") =>
      once(async () => {
        let workflow = draft === null ? saved.workflow : await store(draft);
        for (const command of commands) {
          if (typeof workflow === "string") return workflow;
          try {
            workflow = await act.mutateAsync({ id: workflow.id, revision: workflow.revision, command, message });
            setSaved(savedAs(workflow, draft ?? saved.draft));
          } catch (error) {
            return notDone(command, error, draft);
          }
        }
        return workflow;
      }),
  };
}

const DONE = { publish: "published", activate: "activated", deactivate: "deactivated" } as const satisfies Record<
  Command,
  string
>;
