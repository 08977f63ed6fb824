import { Alert, Button, Group } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import type { WorkflowVersionView, WorkflowView } from "../../../../schema/contract/management.ts";
import { useList } from "../../../api/queries.ts";
import { ConflictDialog } from "../dialogs/conflict-dialog.tsx";
import { RestoreDialog } from "../dialogs/restore-dialog.tsx";
import type { Draft } from "../model/commands.ts";
import { draftOf } from "../../../../schema/contract/draft.ts";
import { isSameDraft } from "../model/same.ts";
import type { useDesignerState } from "../use-designer-state.ts";
import { handOver } from "./hand-over.ts";
import { judgeFresh } from "./judge-fresh.ts";
import { dropKept } from "./kept.ts";
import { useKeep, useKeptKey, useOffer } from "./use-kept.ts";
import { hasUnpublishedChanges } from "../../workflows/banners.tsx";
import { useToastDone } from "../../workflows/mutations.ts";
import { PublishDialog } from "../../workflows/publish-dialog.tsx";
import { startsNow } from "../../workflows/starts-now.ts";
import { liveVersion } from "../../workflows/use-workflow.ts";
import { savedAs, useSave } from "./use-save.ts";

/** Connects the draft to the service: saving, changes of other people, and the changes that this browser keeps. */
export function useSaving(
  workflow: WorkflowView | null,
  designer: Pick<ReturnType<typeof useDesignerState>, "state" | "history" | "restart" | "checks" | "setRefused">,
  showProblems: () => void,
  showText: () => void,
) {
  const { state, history, restart, checks, setRefused } = designer;
  const { draft, readOnly, say, run, unread, setUnread } = state;
  const [, navigate] = useLocation();
  const [conflict, setConflict] = useState(false);
  const [publishing, setPublishing] = useState<{ activates: boolean } | null>(null);
  const toastDone = useToastDone();
  const store = useSave(
    workflow,
    () => setConflict(true),
    () => {
      showProblems();
      say("The draft was not saved. See the problems.");
    },
    (refused) => {
      setRefused(refused);
      showProblems();
    },
  );
  const { saved, setSaved, busy } = store;
  const dirty = !readOnly && (saved === null || unread !== null || !isSameDraft(draft, saved.draft));
  // An empty new workflow is not worth keeping.
  const isWorth = saved === null ? history.past.length > 0 || draft.definition.nodes.length > 0 : dirty;
  const key = useKeptKey(workflow?.id ?? null);
  const [offer, closeOffer] = useOffer(key, draft);
  const given = useRef(false);
  const latest = useRef(history);
  useEffect(() => {
    latest.current = history;
  });
  const keeps = useKeep(
    key,
    {
      draft,
      text: unread?.text,
      dirty: isWorth && !readOnly,
      revision: saved?.workflow.revision ?? null,
      paused: readOnly || offer !== null,
    },
    given,
  );
  useFresh(workflow, { saved, setSaved, dirty, busy, restart, onConflict: () => setConflict(true), draft });
  const live = useLive(saved?.workflow ?? null);
  const differs =
    saved === null || live === null || live === undefined ? null : hasUnpublishedChanges(saved.workflow, live);

  /** Confirms a change with a toast. Text typed in the meantime stays unsaved, and the toolbar shows that. */
  const confirmDone = async (pending: Promise<WorkflowView | string>, message: (done: WorkflowView) => string) => {
    setRefused(null);
    const before = saved?.workflow ?? { active: false, publishedVersionId: null };
    const done = await pending;
    if (typeof done === "string") return;
    if (workflow === null) {
      // The page of a new workflow becomes the page of that workflow and keeps the undo history.
      given.current = true;
      handOver(done.id, latest.current);
      dropKept(localStorage, key);
      navigate(`/workflows/${done.id}/edit`, { replace: true });
    }
    toastDone(message(done), before, done);
  };
  /** Blocks saving while the YAML cannot be read: the person must decide between the text and the canvas. */
  const isUnread = (done: string): boolean => {
    if (unread === null) return false;
    showText();
    say(`Nothing was ${done}: the YAML cannot be read yet. Fix it, or replace it with the canvas.`);
    return true;
  };
  const save = () => {
    if (readOnly || busy || isUnread("saved")) return;
    if (dirty) void confirmDone(store.save(draft), () => "The draft was saved.");
    else say("All changes are saved.");
  };
  const refuse = (done: string): boolean => {
    if (isUnread(done)) return true;
    // An earlier refusal for lack of a permission does not count: the person may have it by now.
    const { length } = checks.errors;
    if (length === 0) return false;
    showProblems();
    say(`The workflow cannot be ${done} yet. Fix ${length === 1 ? "the problem" : `the ${length} problems`} first.`);
    return true;
  };
  const publish = () => {
    if (readOnly || busy || isUnread("published")) return;
    setPublishing({ activates: false });
  };
  const publishShown = async (message: string) => {
    const commands = publishing?.activates === true ? (["publish", "activate"] as const) : (["publish"] as const);
    await confirmDone(store.perform(commands, draft, message), (done) => `Published. ${startsNow(done)}`);
    setPublishing(null);
  };
  const setActive = async (active: boolean) => {
    // Deactivating works even when the draft has problems.
    if (!active) return confirmDone(store.perform(["deactivate"], null), () => "Deactivated. New events are ignored.");
    if (saved?.workflow.published === true) {
      if (refuse("activated")) return undefined;
      return confirmDone(store.perform(["activate"], draft), (done) => `Activated. ${startsNow(done)}`);
    }
    if (isUnread("activated")) return undefined;
    return setPublishing({ activates: true });
  };

  return {
    asks: conflict || offer !== null || publishing !== null,
    save,
    toolbar: {
      workflow: saved?.workflow ?? null,
      dirty,
      differs,
      busy,
      onSave: save,
      onPublish: publish,
      onActive: (active: boolean) => void setActive(active),
    },
    notices: keeps ? null : (
      <Alert color="yellow" variant="light" py={4}>
        <Group justify="space-between">
          This browser cannot keep unsaved changes. Save before you leave the page.
          <Button size="compact-xs" variant="default" onClick={save}>
            Save draft
          </Button>
        </Group>
      </Alert>
    ),
    dialogs: (
      <>
        {saved === null ? null : (
          <ConflictDialog
            opened={conflict}
            workflowId={saved.workflow.id}
            mine={draft}
            onClose={() => setConflict(false)}
            onOverwrite={(theirs) => {
              setConflict(false);
              void confirmDone(store.save(draft, theirs.revision), () => "Your draft replaced the other one.");
            }}
            onTake={(theirs) => {
              setConflict(false);
              run({ do: "replace", draft: draftOf(theirs) });
              setSaved(savedAs(theirs));
              say("This is the other person's draft. Ctrl Z restores yours.");
            }}
          />
        )}
        <PublishDialog
          opened={publishing !== null}
          onClose={() => setPublishing(null)}
          draft={draft}
          workflow={saved?.workflow ?? null}
          live={live}
          isUnsaved={dirty}
          activates={publishing?.activates === true}
          pending={busy}
          onFix={(one) => run({ do: "fix", fix: one })}
          onPublish={(message) => void publishShown(message)}
        />
        <RestoreDialog
          offer={offer}
          current={draft}
          currentRevision={saved?.workflow.revision ?? null}
          onRestore={(kept) => {
            run({ do: "replace", draft: kept.draft });
            // Another person has saved since: saving these changes must be a conflict.
            if (saved !== null && kept.revision !== null && kept.revision !== saved.workflow.revision) {
              setSaved({ ...saved, isBehind: true, workflow: { ...saved.workflow, revision: kept.revision } });
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

interface FreshState {
  saved: ReturnType<typeof savedAs> | null;
  setSaved: (saved: ReturnType<typeof savedAs>) => void;
  dirty: boolean;
  busy: boolean;
  restart: (draft: Draft) => void;
  onConflict: () => void;
  draft: Draft;
}

/** Handles a workflow that was just read: takes it when nothing was changed here, and reports a conflict otherwise. */
function useFresh(fresh: WorkflowView | null, state: FreshState): void {
  const { saved, setSaved, dirty, busy, restart, onConflict } = state;
  useEffect(() => {
    if (fresh === null || saved === null || busy) return;
    const known = { draft: saved.draft, revision: saved.workflow.revision, isBehind: saved.isBehind };
    const verdict = judgeFresh({ draft: draftOf(fresh), revision: fresh.revision }, known, dirty);
    if (verdict === "conflict") onConflict();
    if (verdict === "taken") restart(draftOf(fresh));
    if (verdict === "taken" || verdict === "noted") setSaved(savedAs(fresh));
    // Runs once per read of the service, not on every change of the draft.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [fresh]);
}

/** The live version: null without one, undefined while it is unknown. */
function useLive(workflow: WorkflowView | null): WorkflowVersionView | null | undefined {
  const versions = useList(
    "/api/v1/automation/workflows/{id}/versions",
    { path: { id: workflow?.id ?? "" }, query: { limit: 20 } },
    { enabled: workflow?.published === true },
  );
  return workflow === null ? null : liveVersion(workflow, versions.items);
}
