import type { ReactNode } from "react";
import { count } from "../format.ts";
import { rich } from "../rich.ts";

type Done = "saved" | "published" | "activated" | "deactivated";

/** Saving, publishing and comparing the draft of the designer, and the draft as YAML. */
export const designerSaving = {
  status: {
    label: "Saving",
    saved: (at: string) => `Saved ${at}`,
    saving: "Saving…",
    notSaved: "Not saved",
  },

  notice: {
    compare: "Compare",
    behind: "Another person saved this workflow, so your changes are not saved.",
    saveNow: "Save now",
    failed: (reason: string, isTriedAgain: boolean, isKept: boolean) =>
      [
        `Not saved: ${reason}`,
        ...(isTriedAgain ? ["Trying again every few seconds."] : []),
        isKept
          ? "This browser keeps your changes."
          : "This browser cannot keep your changes: stay on this page until they are saved.",
      ].join(" "),
    noAnswer: "the service does not answer.",
    problem: (path: string, message: string) => `${path} ${message}.`,
  },

  failures: {
    notDone: (done: Done) => `The workflow was not ${done}`,
    signedOut: "Sign in again. This browser keeps your changes and offers them here.",
    seeProblems: "See the problems.",
    unread: (done: Done) => `Nothing was ${done}: the YAML cannot be read yet. Fix it, or replace it with the canvas.`,
    problems: (done: Done, problems: number) =>
      `The workflow cannot be ${done} yet. Fix ${problems === 1 ? "the problem" : `the ${count(problems, "problem")}`} first.`,
  },

  done: {
    saved: "The draft was saved.",
    nothingToSave: "All changes are saved.",
    published: (starts: string) => `Published. ${starts}`,
    activated: (starts: string) => `Activated. ${starts}`,
    deactivated: "Deactivated. New events are ignored.",
    replaced: "Your draft replaced the other one.",
    taken: "This is the other person's draft. Ctrl Z restores yours.",
  },

  conflict: {
    title: "Another person saved this workflow",
    saved: (ago: ReactNode) => rich`It was saved ${ago} elsewhere. Your draft is not saved, but it is not lost.`,
    labels: ["Saved draft", "Your draft"] as const,
    effect: "Overwriting replaces the saved draft with yours. Taking theirs replaces yours here; undo restores it.",
    keepEditing: "Keep editing",
    take: "Take theirs",
    overwrite: "Overwrite with mine",
  },

  restore: {
    title: "You have unsaved changes",
    notSaved: (ago: string) => `Your changes from ${ago} were not saved.`,
    savedSince: "You or another person has saved the workflow since. Restoring these changes asks which draft to keep.",
    unread:
      "Your YAML could not be read yet. Restoring brings back the text as you left it, and the draft of the canvas.",
    labels: ["Saved draft", "Your changes"] as const,
    discard: "Discard",
    restore: "Restore",
  },

  difference: { loading: "Loading the difference", none: "There are no differences." },

  yaml: {
    label: "The workflow as YAML",
    loading: "Loading the editor",
    loadingNames: "Loading the names of connections",
    about: "The draft of the canvas in its export format. Comments are not saved.",
    notAWorkflow: "must be a workflow: apiVersion, kind, name, trigger, definition",
    unread: (places: number) =>
      `The YAML cannot be read yet: ${places === 1 ? "one line is" : `${count(places, "place")} are`} marked. The canvas shows the last version that could be read.`,
    differs: "The canvas has changed while this text could not be read. Which one do you want to keep?",
    replace: "Replace with the canvas",
    keep: "Keep this text once it can be read",
  },
};
