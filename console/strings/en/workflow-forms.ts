import type { ApproverRole } from "../../../schema/contract/approval.ts";
import { spelledDuration } from "../time.ts";
import { common } from "./common.ts";

/** The forms of a workflow's trigger and steps. Actions have their own catalogue. */
export const workflowForms = {
  identity: {
    nameHint: "Shown on the canvas and in runs.",
    idHint: "Used in templates as nodes.<id>.",
    wrongId: (reason: string) => `The id ${reason}.`,
    anyReason: "cannot be used",
    taken: "Another step has this id.",
  },
  outputs: "Outputs available to later steps",
  noSuchValue: "the last request, or the sample request of its sender, has no such value",

  /** Fields that take several kinds of values. */
  fields: {
    value: "Value",
    useTemplate: "Use a template",
    useTemplateMore: "Use a template …",
    template: (label: string) => `${label}: template`,
    templateExample: "such as {{webhook.value}}",
    wholeList: "One template that gives the whole list. Clear it to add items here.",
    useRows: "Use rows instead",
    useList: "Use a list instead",
    useOne: "Use one text instead",
    addRow: "Add a row",
    addItem: "Add an item",
    noRows: "None.",
    part: (label: string, part: string) => `${label}: ${part}`,
    member: (label: string, position: number) => `${label} ${position}`,
    row: (position: number) => `row ${position}`,
    rowName: (label: string, position: number) => `${label}: name ${position}`,
    rowValue: (label: string, row: string) => `${label}: value of ${row}`,
    remove: (name: string) => `${common.remove} ${name}`,
    noName: "Enter a name. A row without a name is not saved.",
    usedName: "This name is already used above.",
    notJson: (reason: string) => `Invalid JSON: ${reason}.`,
    anyReason: "it cannot be read",
    unit: (label: string) => `${label}: unit`,
    atLeast: (seconds: number) => `Must be at least ${spelledDuration(seconds)}.`,
    between: (min: number, max: number) => `Must be ${spelledDuration(min)} to ${spelledDuration(max)}.`,
    units: { seconds: "seconds", minutes: "minutes", hours: "hours", days: "days" },
  },

  trigger: {
    events: "Events",
    eventsHint: "Each selected event starts the workflow.",
    coalesce: "Join events for",
    coalesceHint:
      "The first event waits this long, and events with the same key join its run. Empty: each event starts a run.",
    coalesceKey: "Join events with the same",
    coalesceKeyHint: "One run for each value, such as {{incident.service}}. Empty: all events of the window.",
    noJoining: "No wait",
    noConditions: "None: each incident with a selected event starts the workflow.",
    failed: "Each failed run of another workflow starts this one, once. A failure workflow never starts another.",
    failedTags: "Only workflows with a tag",
    failedTagsHint: "A workflow with one of these tags. Empty: every other workflow.",
  },

  inputs: {
    all: "Inputs",
    about: (template: string) =>
      `The person who runs the workflow fills in these inputs, in the console or through the API. Templates use them as ${template}. Without inputs, a run takes any variables.`,
    example: "service",
    title: (position: number) => `Input ${position}`,
    required: "Required",
    sensitive: "Sensitive",
    sensitiveHint: "Runs show *** instead of the value. Not for credentials: they belong in connections.",
    default: "Default",
    noDefault: "None",
    descriptionHint: "Shown to the person who runs the workflow.",
    add: "Add an input",
    wrongName: "Use letters, digits and _. Do not begin with a digit.",
  },

  condition: "Continues with true if the conditions match, otherwise with false.",

  forEach: {
    items: "Items",
    itemsHint: "A template that gives a list, or a list as JSON. The steps inside run once for each item.",
    itemsExample: "such as {{webhook.hosts}}",
    concurrency: "Items at the same time",
    concurrencyHint: (max: number) => `How many items run at once, from 1 to ${max}. With 1, they run in order.`,
    maxFailures: "Allowed failures",
    maxFailuresHint: "A number of items, or a percentage such as 10%. After more failures, no further item begins.",
    anyNumber: "Any number",
    continueOnError: "Succeed despite allowed failures",
    continueOnErrorHint: "Otherwise, the step fails if any item fails.",
    batchSize: "Batch size",
    batchSizeHint: "A batch begins when all items of the previous batch have ended.",
    oneBatch: "All items",
    pause: "Pause between batches",
    noPause: "No pause",
    check: "Check before each further batch",
    checkHint:
      "If it is not met, no further item begins and the step fails. It can use foreach.failed, foreach.succeeded and foreach.notStarted.",
    noCheck: "None.",
    addCheck: "Add a check",
    steps: "Steps inside",
    inside: "Steps inside can use {{foreach.item}}, {{foreach.index}} and {{foreach.total}}.",
  },

  delay: {
    time: "Wait",
    timeHint: "The run continues by itself after this time, at most a year.",
  },

  approval: {
    question: "Question",
    questionHint: "Shown to the people who may answer. Say what happens next, and to which system.",
    timeout: "Maximum wait for an answer",
    timeoutHint: "After this time, it is rejected automatically. When empty, it waits as long as the run lasts.",
    noLimit: "No limit",
    another: "Another person must answer",
    anotherHint:
      "The person who started the run cannot answer, nor can people who changed the workflow since another person published it. API tokens cannot answer.",
    approvers: "Who may answer",
    roles: "Roles that may answer",
    rolesHint: "Without roles and people, everyone whose role may approve can answer.",
    roleNames: {
      operator: "Operators",
      editor: "Editors",
      admin: "Administrators",
    } satisfies Record<ApproverRole, string>,
    people: "People who may answer",
    peopleHint: "You can add yourself. Only an administrator can add other people. Here, they are shown by their ids.",
    noPeople: "No user matches.",
    peopleNotLoaded: (reason: string) => `The users could not be loaded. ${reason}`,
  },

  workflow: {
    hint: "Runs the published version. This step waits until that run ends.",
    choose: "Choose a workflow",
    itself: (name: string) => `${name} (this workflow)`,
    runsItself: (levels: number) =>
      `This workflow runs itself. At most ${levels} runs can start each other, then this step fails. Put a condition before it that ends the repetition.`,
    notPublished: (name: string) => `${name} (not published)`,
    unknown: "Unknown workflow",
    noMatch: "No workflow matches.",
    notLoaded: (reason: string) => `The workflows could not be loaded. ${reason}`,
    open: (name: string) => `Open ${name}`,
    variables: "Variables",
    variablesHint: "Passed to the workflow: text, JSON or templates.",
    more: "Other inputs:",
    add: (name: string) => `Add ${name}`,
    addRequired: (name: string) => `Add ${name} (required)`,
  },

  errorHandler:
    "Handles the failures of the steps whose failure edge leads here. Without such an edge, it runs once, after the first failure that no other step handles. It always succeeds. The steps after it can use the error, such as {{error.message}} and {{error.nodeId}}.",
};
