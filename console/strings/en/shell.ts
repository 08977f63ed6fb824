import type { ReactNode } from "react";
import { count } from "../format.ts";
import { rich } from "../rich.ts";

/** The frame around every page. */
export const shell = {
  product: "Bellhop",
  /** The title of the browser's tab. */
  tab: (title: string) => `${title} · Bellhop`,
  skipToContent: "Skip to content",
  navigation: "Navigation",
  pages: "Pages",
  breadcrumb: "Breadcrumb",
  overview: "Overview",
  maintenance: "Maintenance",
  offline: "You are offline. The page shows what was loaded last, and updates when the network is back.",
  notLoaded: {
    offline: "You are offline. This page was not loaded before. It loads when the network is back.",
    missing:
      "A part of the console could not be loaded. The service does not answer, or it was updated since you opened this page. Reload the page.",
  },
  sessionEnds: (when: ReactNode) =>
    rich`Your session ends ${when}. Save your changes. After signing in again you return to this page.`,
  account: {
    of: (name: string) => `Account of ${name}`,
    colours: "Colours",
    light: "Light",
    system: "System",
    dark: "Dark",
    yours: "Your account",
    apiReference: "API reference",
    signOut: "Sign out",
    stillSignedIn: "You are still signed in",
    maybeSignedIn: "You may still be signed in",
  },
};

/** What a page shows besides its content. */
export const states = {
  retrying: (reason: string) => `The first attempt failed. Trying again: ${reason}`,
  notLoaded: "This could not be loaded",
  request: (id: ReactNode) => rich`Request ${id}`,
  outOfDate: (reason: string) => `This may be out of date: ${reason}`,
  noAccess: {
    title: "You do not have access to this",
    reason: "Your role does not allow it.",
    next: (reason: ReactNode) => rich`${reason} An administrator can give you another role under Settings, Users.`,
  },
  notFound: {
    tab: "Not found",
    page: "Page not found",
    thing: (what: string) => `There is no ${what}.`,
    reason: "The address may be wrong, or the item was deleted.",
    toOverview: "Go to the overview",
  },
  live: { connecting: "Connecting", live: "Live", lost: "Reconnecting" },
  timedOut: "timed out",
};

/** Failures of calls to the service that have no text of the service. */
export const failures = {
  incomplete: "The answer was incomplete. Try again.",
  withoutReason: (status: number) => `The service answered ${status} without a reason. Try again.`,
  unreachable:
    "The service does not answer. Check your network. Data that is only read is requested again automatically.",
  changedMeanwhile:
    "Another person has changed this since you opened the page, so nothing was done. The page now shows the current state. Check it, then try again.",
  changedWhileOpen:
    "Another person has changed this since you opened the form, so nothing was saved. Close the form and open it again to see the current state.",
  doneBefore: "The first attempt succeeded. Do not repeat it.",
  maybeDone: (title: string) => `${title}, or the answer was lost`,
};

/** Controls that many pages have. */
export const controls = {
  copyOf: (label: string) => `Copy: ${label}`,
  shownOnce: "This is shown only once. Store it where you keep your secrets.",
  undo: "Undo",
  undoThis: "Undo this change",
  lineByLine: "Line by line",
  comment: { label: "Comment (optional)", hint: "Saved with the decision." },
  actors: {
    token: (name: string) => `API token ${name}`,
    integration: "an integration",
    bootstrap: "the bootstrap token",
  },
  /** The button of a field for a password or another secret; pressed while the text is shown. */
  showTyped: "Show what is typed",
  password: {
    copy: "Copy the password",
    generate: "Generate",
    atLeast: (characters: number) => `At least ${count(characters, "character")}. Use a passphrase of several words.`,
    missing: (characters: number) => `${count(characters, "more character")}.`,
    atMost: (characters: number) => `At most ${count(characters, "character")}.`,
    longEnough: "Long enough.",
  },
};
