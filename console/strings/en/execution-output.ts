import { count, number, size } from "../format.ts";

/** The output of a step, and the viewer for long texts. */
export const executionOutput = {
  none: "No output.",
  later: "Output appears when this step finishes.",
  reportDue: "The step was cancelled. Its output appears when its agent reports it.",
  exitCode: (code: number) => `exit code ${code}`,
  truncated: "Truncated: the output exceeded the limit",
  dropped: (bytes: number) => `Truncated: ${count(bytes, "byte")} dropped`,
  parts: { text: "Text", json: "JSON" },
  /** "12 lines, 3 KiB" */
  size: (lines: number, bytes: number) => (lines > 1 ? `${count(lines, "line")}, ${size(bytes)}` : size(bytes)),
  earlier: (characters: number) => `${count(characters, "earlier character")} not shown.`,
  further: (characters: number) => `${count(characters, "further character")} not shown.`,
  viewAll: "View all",

  actions: {
    open: (label: string) => `Open: ${label}`,
    copy: (label: string) => `Copy: ${label}`,
    wrap: (label: string) => `Wrap lines: ${label}`,
    download: (label: string) => `Download: ${label}`,
    fullScreen: "Full screen",
    leaveFullScreen: "Exit full screen",
    copyLink: (line: number) => `Copy link to line ${number(line)}`,
  },
  hints: { open: "Open", wrap: "Wrap lines", download: "Download" },
  search: {
    label: "Search",
    next: "Next match",
    previous: "Previous match",
    none: "No matches",
    count: (current: number, all: number) => `${number(current)} of ${number(all)}`,
  },
  line: "Line",
  view: { label: "View", tree: "Tree", text: "Text" },
  tree: {
    items: (length: number) => count(length, "item"),
    fields: (length: number) => count(length, "field"),
    showMore: (left: number) => `Show more of ${number(left)}`,
    cut: (characters: number) => `(${count(characters, "more character")})`,
  },
};
