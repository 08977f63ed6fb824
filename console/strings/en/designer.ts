import type { NodeType, Outcome } from "../../../schema/contract/workflow.ts";
import { count } from "../format.ts";

const OF_ONE_STEP = "a workflow runs each step once";

/** The designer of a workflow: its canvas, panels and commands. */
export const designer = {
  untitled: "Untitled workflow",
  properties: "Workflow properties",
  backToWorkflow: "Back to workflow",
  view: "View",
  tabs: { canvas: "Canvas", problems: "Problems", try: "Try it", yaml: "YAML" },

  panels: {
    palette: "Palette",
    details: "Details",
    resizePalette: "Resize the palette",
    resizeDetails: "Resize the details",
    fold: { palette: "Hide the palette", side: "Hide the details" },
    unfold: { palette: "Show the palette", side: "Show the details" },
  },

  toolbar: {
    undo: "Undo",
    redo: "Redo",
    arrange: "Arrange automatically",
    shortcuts: "Keyboard shortcuts",
    withKeys: (command: string, keys: string) => `${command} (${keys})`,
    publish: "Publish",
    nothingToPublish: "Nothing to publish",
    active: "Active",
    state: "State of the workflow",
    readOnly: "Read-only",
    unpublishedChanges: "Unpublished changes",
    activeOncePublished: "Active once published",
  },

  /** The names of keys, as on the keyboard. */
  keys: {
    undo: "Ctrl Z",
    redo: "Ctrl Shift Z",
    arrange: "L",
    help: "?",
    edit: "Enter",
    add: "A",
    addInside: "Shift A",
    connect: "C",
    copy: "Ctrl C",
    duplicate: "Ctrl D",
    delete: "Delete",
  },

  canvas: {
    label: "The workflow as a graph",
    map: "Map of the workflow",
    empty: "Drop the steps for each item here",
    /** What the preview of a run says about a step. */
    preview: (runs: string, outcome: Outcome | null) => (outcome === null ? runs : `${runs}, ends with ${outcome}`),
    step: (title: string, does: string, problems: number, warnings: number, runs: string | null) =>
      [title, does, ...found(problems, warnings), ...(runs === null ? [] : [runs])].join(", "),
    trigger: (type: string, starts: string, problems: number, warnings: number) =>
      ["Trigger", type, starts, ...found(problems, warnings)].join(", "),
    edge: (from: string, on: Outcome, to: string) => `${from}, on ${on}, to ${to}`,
    start: (id: string) => `The trigger starts ${id}`,
    insert: (edge: string) => `Insert a step: ${edge}`,
    moved: (ids: readonly string[], into: string | null) =>
      `Moved ${ids.join(", ")} ${into === null ? "out of the For each" : `into ${into}`}.`,
    movedAndCut: (moved: string, edges: number) =>
      `${moved} Removed ${count(edges, "edge")}: no edge crosses the border of a For each.`,
    notConnected: "These two steps cannot be connected.",
  },

  trigger: {
    webhook: "when its address is called",
    manual: "when a person starts it",
    asks: (inputs: readonly string[]) => `asks for ${inputs.join(", ")}`,
    schedule: (expression: string, timeZone: string) => `${expression} ${timeZone}`,
    failure: "when a run of another workflow fails",
    failureTagged: (tags: readonly string[]) => `when a run tagged ${tags.join(" or ")} fails`,
  },

  palette: {
    search: "Find a step to add",
    flow: "Flow",
    steps: {
      condition: { label: "Condition", hint: "continues with true or false" },
      forEach: { label: "For each", hint: "runs its steps for each item of a list" },
      approval: { label: "Approval", hint: "waits until a person approves or rejects" },
      delay: { label: "Delay", hint: "waits for a set time" },
      workflow: { label: "Sub-workflow", hint: "runs another workflow" },
      errorHandler: { label: "Error handler", hint: "takes over after a failure" },
    } satisfies Record<Exclude<NodeType, "action">, { label: string; hint: string }>,
    none: (search: string) => `No step matches “${search}”. Try a word such as restart, message or query.`,
    question: "Approve and continue?",
    add: "Add a step",
    addInside: (container: string) => `Add a step inside ${container}`,
    addAfter: (step: string, on: Outcome) => `Add a step after ${step} (on ${on})`,
    insertBetween: (from: string, to: string) => `Insert between ${from} and ${to}`,
  },

  menu: {
    step: "Commands for the step",
    steps: "Commands for the selected steps",
    show: "Show",
    addAfter: "Add a step after",
    addInside: "Add a step inside",
    connect: "Connect",
    duplicate: "Duplicate",
  },

  step: {
    idTaken: (id: string) => `The id ${id} is already used. Choose another one.`,
    inside: "Inside",
    insideHint: "Moving the step removes its edges to the steps that stay.",
    workflowItself: "The workflow itself",
    selected: (steps: number) => `${steps} selected`,
    next: "Next",
    previous: "Previous",
    removeEdge: (edge: string) => `Remove the edge ${edge}`,
  },

  workflow: {
    descriptionHint: "What the workflow fixes, and what the person on call should know.",
    tags: "Tags",
    tagsHint: "Words that group workflows. A change applies at once, without publishing.",
    runbook: "Runbook",
    runbookHint: "The address of instructions for people, linked when a run fails.",
    runbookExample: "https://wiki.example.com/runbooks/checkout",
    timeLimitHint: "For a whole run, waiting included. A run that takes longer fails.",
    empty: "The workflow has no steps yet.",
    steps: (steps: number) => `${count(steps, "step")}. Select a step or the trigger to edit it.`,
    addFirst: "Add the first step",
  },

  problems: {
    paused: "paused",
    /** Read after the number by screen readers. */
    warnings: (warnings: number) => (warnings === 1 ? " warning" : " warnings"),
    checking: "Checking…",
    none: "No problems. The draft can be published.",
    saved: "The draft is saved with its problems. Fix them to publish it.",
    unchecked: "The service does not answer, so the draft is not checked. Trying again every few seconds.",
    outdatedFix: "The draft has changed and is being checked again. Apply the fix after that.",
    fixed: (fix: string) => `Changed: ${fix}. Press Ctrl Z to undo.`,
  },

  nothingToTry: "There is nothing to try yet. Add a step first.",

  commands: {
    added: (steps: readonly string[]) => `Added ${steps.join(", ")}.`,
    addedAfter: (step: string, before: string) => `Added ${step} after ${before}.`,
    addedAlone: (step: string) => `Added ${step}. No edge leads to it.`,
    removed: (steps: readonly string[]) => `Removed ${steps.join(", ")}. Press Ctrl Z to undo.`,
    removedEdge: "Removed the edge. Press Ctrl Z to undo.",
    triggerStays: "The trigger cannot be removed. Choose another type in its form.",
    copied: (steps: number) => `Copied ${count(steps, "step")}.`,
    pasted: (steps: number) => `Pasted ${count(steps, "step")}.`,
    mayNotCopy: "The browser does not allow this page to copy. Press Ctrl C instead.",
    nothingToPaste: "There is nothing to paste. Copy steps on a canvas first.",
    selectForEach: "Select a For each first. The new step goes inside it.",
    selectFirst: "Select the step to connect first. The trigger starts every step that no edge leads to.",
  },

  connect: {
    title: "Connect",
    titleOf: (step: string) => `Connect ${step}`,
    endsWith: "When this step ends with",
    next: "Run next",
    none: "No step can follow here",
    choose: "Choose a step",
    step: (title: string, id: string) => `${title} (${id})`,
    notListed: `Steps that lead to this one are not listed, since ${OF_ONE_STEP}. Steps inside and outside a For each cannot be connected.`,
    /** Why an edge is not allowed. */
    not: {
      gone: "One of the two steps no longer exists.",
      itself: "A step cannot lead to itself. To repeat an action, set its maximum attempts.",
      border: "An edge cannot cross the border of a For each. Connect the For each itself, or move the step.",
      handlerOutcome: "An error handler ends with success only: it does nothing that could fail.",
      outcome: (step: string, outcomes: readonly Outcome[], on: Outcome) =>
        `${step} ends with ${outcomes.join(" or ")}, not with ${on}.`,
      toHandler: "Only failure edges lead to an error handler. Without any edge it handles every failure.",
      exists: "This edge already exists.",
      cycle: (to: string, from: string) =>
        `${to} already leads to ${from}. This edge would make a cycle, and ${OF_ONE_STEP}.`,
    },
  },

  /** The list of keyboard shortcuts. `use-shortcuts.ts` implements them. */
  shortcuts: {
    title: "Keyboard shortcuts",
    mac: "On a Mac, use ⌘ instead of Ctrl. Letter keys work while the canvas has the focus.",
    groups: [
      {
        group: "Everywhere",
        keys: [
          { keys: "Ctrl S", hint: "Save the draft now" },
          { keys: "Ctrl Z", hint: "Undo (in a field: undo typing)" },
          { keys: "Ctrl Shift Z", hint: "Redo" },
          { keys: "Ctrl K", hint: "Search pages, things and commands" },
          { keys: "?", hint: "Show the keyboard shortcuts" },
        ],
      },
      {
        group: "Between the panels",
        keys: [
          { keys: "← →", hint: "Resize the panel; faster with Shift" },
          { keys: "Enter", hint: "Hide the panel" },
        ],
      },
      { group: "In the YAML", keys: [{ keys: "Esc, then Tab", hint: "Leave the editor; Tab alone indents" }] },
      {
        group: "On the canvas",
        keys: [
          { keys: "↑ ↓", hint: "Previous or next step; into and out of a For each" },
          { keys: "← →", hint: "Step to the left or right" },
          { keys: "Enter", hint: "Edit the selected step" },
          { keys: "A", hint: "Add a step after the selected one" },
          { keys: "Shift A", hint: "Add a step inside the selected For each" },
          { keys: "C", hint: "Connect the selected step to another" },
          { keys: "Delete", hint: "Remove the selection" },
          { keys: "Ctrl D", hint: "Duplicate the selection" },
          { keys: "Ctrl C, Ctrl X, Ctrl V", hint: "Copy, cut, paste; also into another workflow" },
          { keys: "Ctrl A", hint: "Select all steps" },
          { keys: "Shift ↑ ↓ ← →", hint: "Move the selected step" },
          { keys: "Shift F10", hint: "Open the menu of the selection" },
          { keys: "L", hint: "Arrange all steps automatically" },
          { keys: "F", hint: "Show the whole workflow" },
          { keys: "Esc", hint: "Clear the selection" },
        ],
      },
    ],
  },
};

function found(problems: number, warnings: number): string[] {
  return [
    ...(problems === 0 ? [] : [count(problems, "problem")]),
    ...(warnings === 0 ? [] : [count(warnings, "warning")]),
  ];
}
