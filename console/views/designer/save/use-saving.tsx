import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { draftOf } from "../../../../schema/contract/draft.ts";
import type { WorkflowVersionView, WorkflowView } from "../../../../schema/contract/management.ts";
import { useList } from "../../../api/queries.ts";
import { ConflictDialog } from "../dialogs/conflict-dialog.tsx";
import { RestoreDialog } from "../dialogs/restore-dialog.tsx";
import type { Draft } from "../model/commands.ts";
import { isSameDraft } from "../model/same.ts";
import type { useDesignerState } from "../use-designer-state.ts";
import { judgeFresh } from "./judge-fresh.ts";
import { dropKept } from "./kept.ts";
import { hasUnpublishedChanges } from "../../workflows/banners.tsx";
import { useToastDone } from "../../workflows/mutations.ts";
import { PublishDialog } from "../../workflows/publish-dialog.tsx";
import { startsNow } from "../../workflows/starts-now.ts";
import { liveVersion } from "../../workflows/use-workflow.ts";
import { putDraft } from "./put-draft.ts";
import { SaveProblem, SaveStatus, isFailed } from "./save-status.tsx";
import type { SaveState } from "./save-status.tsx";
import { useAutosave } from "./use-autosave.ts";
import { forgetKept, useKeep, useKeptKey, useOffer } from "./use-kept.ts";
import { savedAs, useSave } from "./use-save.ts";
import type { Saved, Unsaved } from "./use-save.ts";
import { designerSaving } from "../../../strings/en/designer-saving.ts";

const { done: text, failures } = designerSaving;
type Done = Parameters<typeof failures.unread>[0];

/** Connects the draft to the service: saving, changes of other people, and the changes that this browser keeps. */
export function useSaving(
  workflow: WorkflowView,
  designer: Pick<ReturnType<typeof useDesignerState>, "state" | "restart" | "checks" | "setRefused">,
  showProblems: () => void,
  showText: () => void,
) {
  const { state, restart, checks, setRefused } = designer;
  const { draft, readOnly, say, run, unread, setUnread, openProblem } = state;
  const queries = useQueryClient();
  const [conflict, setConflict] = useState(false);
  const [publishing, setPublishing] = useState<{ activates: boolean } | null>(null);
  const toastDone = useToastDone();
  const store = useSave(workflow, {
    onConflict: () => setConflict(true),
    onProblems: () => {
      showProblems();
      say(failures.seeProblems);
    },
    onRefused: (refused, isQuiet) => {
      setRefused(refused);
      if (!isQuiet) showProblems();
    },
  });
  const { saved, setSaved, unsaved, busy } = store;
  const differs = !readOnly && !isSameDraft(draft, saved.draft);
  const dirty = differs || unread !== null;
  const key = useKeptKey(workflow.id);
  const [offer, closeOffer] = useOffer(key, draft);
  const saveState = saveStateOf({ saved, unsaved, draft, differs });
  const keeps = useKeep(key, {
    draft,
    text: unread?.text,
    dirty: dirty && !readOnly,
    warns: isFailed(saveState),
    revision: saved.workflow.revision,
    paused: readOnly || offer !== null,
  });
  useAutosave({
    draft,
    isDue: differs && !busy && !conflict && !saved.isBehind && offer === null,
    isPaused: publishing !== null,
    unsaved,
    save: () => void store.save(draft, { isQuiet: true }).then((done) => typeof done !== "string" && setRefused(null)),
    flush: () =>
      void putDraft(queries, { id: workflow.id, revision: saved.workflow.revision, draft }).then(
        () => forgetKept(key, draft),
        // This browser keeps the changes.
        () => undefined,
      ),
  });
  useFresh(workflow, { saved, setSaved, dirty, busy, restart, onConflict: () => setConflict(true), draft });
  const live = useLive(saved.workflow);
  const isChanged = live === null || live === undefined ? null : hasUnpublishedChanges(saved.workflow, live);

  /** Confirms a change with a toast. Text typed in the meantime is saved after it. */
  const confirmDone = async (pending: Promise<WorkflowView | string>, message: (done: WorkflowView) => string) => {
    setRefused(null);
    const before = saved.workflow;
    const done = await pending;
    if (typeof done !== "string") toastDone(message(done), before, done);
  };
  /** Blocks commands while the YAML cannot be read: the person must decide between the text and the canvas. */
  const isUnread = (done: Done): boolean => {
    if (unread === null) return false;
    showText();
    say(failures.unread(done));
    return true;
  };
  const save = () => {
    if (readOnly || busy || isUnread("saved")) return;
    if (dirty || saved.isBehind) void confirmDone(store.save(draft), () => text.saved);
    else say(text.nothingToSave);
  };
  const refuse = (done: Done): boolean => {
    if (isUnread(done)) return true;
    // An earlier refusal for lack of a permission does not count: the person may have it by now.
    const { length } = checks.errors;
    if (length === 0) return false;
    showProblems();
    say(failures.problems(done, length));
    return true;
  };
  const publish = () => {
    if (readOnly || busy || isUnread("published")) return;
    setPublishing({ activates: false });
  };
  const publishShown = async (message: string) => {
    const commands = publishing?.activates === true ? (["publish", "activate"] as const) : (["publish"] as const);
    await confirmDone(store.perform(commands, draft, message), (done) => text.published(startsNow(done)));
    setPublishing(null);
  };
  const setActive = async (active: boolean) => {
    // Deactivating works even when the draft has problems.
    if (!active) return confirmDone(store.perform(["deactivate"], null), () => text.deactivated);
    if (saved.workflow.published) {
      if (refuse("activated")) return undefined;
      return confirmDone(store.perform(["activate"], draft), (done) => text.activated(startsNow(done)));
    }
    if (isUnread("activated")) return undefined;
    return setPublishing({ activates: true });
  };

  return {
    asks: conflict || offer !== null || publishing !== null,
    save,
    status: readOnly ? null : <SaveStatus state={saveState} />,
    toolbar: {
      workflow: saved.workflow,
      dirty,
      differs: isChanged,
      busy,
      onPublish: publish,
      onActive: (active: boolean) => void setActive(active),
    },
    notices: <SaveProblem state={saveState} isKept={keeps} onSave={save} onCompare={() => setConflict(true)} />,
    dialogs: (
      <>
        <ConflictDialog
          opened={conflict}
          workflowId={saved.workflow.id}
          mine={draft}
          onClose={() => setConflict(false)}
          onOverwrite={(theirs) => {
            setConflict(false);
            void confirmDone(store.save(draft, { over: theirs.revision }), () => text.replaced);
          }}
          onTake={(theirs) => {
            setConflict(false);
            run({ do: "replace", draft: draftOf(theirs) });
            setSaved(savedAs(theirs));
            say(text.taken);
          }}
        />
        <PublishDialog
          opened={publishing !== null}
          onClose={() => setPublishing(null)}
          draft={draft}
          workflow={saved.workflow}
          live={live}
          isUnsaved={dirty}
          activates={publishing?.activates === true}
          pending={busy}
          onFix={(one) => run({ do: "fix", fix: one })}
          onOpen={(problem) => {
            setPublishing(null);
            openProblem(problem);
          }}
          onPublish={(message) => void publishShown(message)}
        />
        <RestoreDialog
          offer={offer}
          current={draft}
          currentRevision={saved.workflow.revision}
          onRestore={(kept) => {
            run({ do: "replace", draft: kept.draft });
            // Another person has saved since: the person must choose between both drafts.
            if (kept.revision !== saved.workflow.revision) {
              setSaved({ ...saved, isBehind: true, workflow: { ...saved.workflow, revision: kept.revision } });
              setConflict(true);
            }
            if (kept.text !== undefined) {
              setUnread({ text: kept.text, draft: kept.draft });
              showText();
            }
            closeOffer();
          }}
          onDiscard={() => {
            dropKept(localStorage, key);
            closeOffer();
          }}
        />
      </>
    ),
  };
}

interface Known {
  saved: Saved;
  unsaved: Unsaved | null;
  draft: Draft;
  differs: boolean;
}

function saveStateOf({ saved, unsaved, draft, differs }: Known): SaveState {
  if (saved.isBehind) return { type: "behind" };
  if (!differs) return { type: "saved", at: saved.workflow.updatedAt };
  return unsaved?.draft === draft ? { type: "failed", error: unsaved.error } : { type: "saving" };
}

interface FreshState {
  saved: Saved;
  setSaved: (saved: Saved) => void;
  dirty: boolean;
  busy: boolean;
  restart: (draft: Draft) => void;
  onConflict: () => void;
  draft: Draft;
}

/** Handles a workflow that was just read: takes it when nothing was changed here, and reports a conflict otherwise. */
function useFresh(fresh: WorkflowView, state: FreshState): void {
  const { saved, setSaved, dirty, busy, restart, onConflict } = state;
  useEffect(() => {
    if (busy) return;
    const { workflow, isBehind } = saved;
    const known = { draft: draftOf(workflow), revision: workflow.revision, isBehind };
    const verdict = judgeFresh({ draft: draftOf(fresh), revision: fresh.revision }, known, dirty);
    if (verdict === "conflict") {
      setSaved({ ...saved, isBehind: true });
      onConflict();
    }
    if (verdict === "taken") restart(draftOf(fresh));
    if (verdict === "taken") setSaved(savedAs(fresh));
    if (verdict === "noted") setSaved(savedAs(fresh, saved.draft));
    // Runs once per read of the service, not on every change of the draft.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [fresh]);
}

/** The live version: null without one, undefined while it is unknown. */
function useLive(workflow: WorkflowView): WorkflowVersionView | null | undefined {
  const versions = useList(
    "/api/v1/automation/workflows/{id}/versions",
    { path: { id: workflow.id }, query: { limit: 20 } },
    { enabled: workflow.published },
  );
  return liveVersion(workflow, versions.items);
}
