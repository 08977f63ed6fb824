import type { ReactNode } from "react";
import { count } from "../format.ts";
import { rich } from "../rich.ts";

/** Publishing: the dialog, its commands and results, versions and their differences. */
export const publishing = {
  publish: "Publish",
  publishChanges: "Publish changes",
  publishAndActivate: "Publish and activate",
  nothingToPublish: "Nothing to publish",

  dialog: {
    savesFirst: "Your unsaved changes are saved first.",
    changes: "Changes",
    noneLive: (steps: number) => `No version is live. The new version has ${count(steps, "step")}.`,
    loadingLive: "Loading the live version…",
    same: (version: number) => `None: the draft is the same as version ${version}, which is live.`,
    asText: "Show as text",
    problems: "Problems",
    warnings: "Warnings",
    fromNowOn: "From now on",
    message: "Message",
    messageHelp: "Optional. The reason for the change, for people who read the versions later.",
    fixFirst: "Fix the problems first.",
    checking: "Checking the draft…",
    cancel: "Not now",
  },

  /** What starts the published version from now on. */
  starts: {
    manual: "People can run it, and other workflows can call it.",
    inactive: "The workflow is not active: only people and other workflows can start it.",
    noKey: "The webhook has no key yet, so nothing can call it. Generate one on the workflow's page, under Webhook.",
    webhook: "Each webhook call starts a run.",
    cron: (schedule: string) => `The schedule starts a run: ${schedule}.`,
    incident: (events: readonly string[]) => `Each ${events.join(" or ")} event starts a run.`,
    incidentIf: (events: readonly string[], conditions: string) =>
      `Each ${events.join(" or ")} event starts a run if ${conditions}.`,
    failure: "Each failed run of another workflow starts a run.",
    failureTagged: (tags: readonly string[]) =>
      `Each failed run of another workflow tagged ${tags.join(" or ")} starts a run.`,
    oncePublished: "Its trigger starts runs once it is published.",
  },

  done: {
    publish: (starts: string) => `Published. ${starts}`,
    activate: (starts: string) => `Activated. ${starts}`,
    activateAgain: "Activated again.",
    deactivate: "Deactivated. Its waiting runs are cancelled. It can still be run manually.",
    unpublish: "Unpublished. It no longer runs, its waiting runs are cancelled, and workflows that call it fail.",
  },
  failed: {
    publish: "The workflow was not published",
    activate: "The workflow was not activated",
    deactivate: "The workflow was not deactivated",
    unpublish: "The workflow was not unpublished",
    fix: "The fix was not applied",
  },

  banners: {
    neverPublished: "Not published yet",
    unpublished: "Not published",
    doesNotRun: "The workflow does not run until it is published.",
    versionsAreKept: "The workflow does not run until it is published. Earlier versions are kept.",
    draftIsAhead: {
      title: "The draft has unpublished changes",
      body: (version: number, link: ReactNode) =>
        rich`Version ${version} stays live until the draft is published. ${link}`,
      link: "Show changes",
    },
    switchedOff: {
      title: (ago: ReactNode) => rich`Switched off ${ago}`,
      noReason: "The service switched the schedule off.",
      activate: "Activate again",
    },
  },

  versions: {
    label: "Versions",
    none: {
      title: "No versions yet",
      help: "Each publish creates a version that never changes. You can compare versions, and restore one as the draft.",
    },
    loadOlder: "Load older versions",
    version: "Version",
    published: "Published",
    by: "By",
    message: "Message",
    live: "live",
    sameAsDraft: "same as the draft",
    compare: "Compare",
    compareLabel: (version: number) => `Compare: version ${version} with the draft`,
    restore: "Restore as draft",
    restoreLabel: (version: number) => `Restore as draft: version ${version}`,
    restored: (workflow: string, version: number) =>
      `The draft of “${workflow}” is now the same as version ${version}. Publish it to make it live.`,
    notRestored: (version: number) => `Version ${version} was not restored`,
  },

  compare: {
    title: "Changes",
    draft: "The draft",
    version: (version: number) => `Version ${version}`,
    liveVersion: (version: number) => `Version ${version} (live)`,
    from: "From",
    to: "To",
    showUnchanged: "Show unchanged lines",
    same: "There are no differences.",
    loading: "Loading the comparison",
    list: "List of changes",
  },

  /** One difference between two versions. */
  changes: {
    kinds: { added: "added", removed: "removed", changed: "changed" },
    trigger: "Trigger",
    timeLimit: "Time limit",
    step: (id: string) => `Step ${id}`,
    edge: "Edge",
    edgeDetail: (from: string, to: string, on: string) => `${from} → ${to} on ${on}`,
    order: "Order",
    orderDetail: "only the order of steps or edges, which does not change runs",
    field: (label: string, change: string) => `${label}: ${change}`,
    fromTo: (from: string, to: string) => `${from} → ${to}`,
    none: "none",
  },
};
