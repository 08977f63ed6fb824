import type { ReactNode } from "react";
import { rich } from "../rich.ts";

/** The pause of all runs. */
export const pause = {
  bar: "Pause",
  title: "All runs are paused",
  since: (who: string, when: ReactNode, reason: string) => rich`By ${who}, ${when}: ${reason}`,
  wholeReason: "Show the whole reason",
  command: "Pause all runs",
  dialog: {
    title: "Pause all runs?",
    effect:
      "No action is given to an agent, and no notification step sends, until a person resumes the runs. Running actions go on. New events, schedules and manual starts are accepted and wait. Notification rules still report.",
    reason: "Reason",
    reasonHint: "Everyone sees it on every page and on each waiting job.",
    submit: "Pause all runs",
    done: "All runs are paused.",
  },
  resume: {
    button: "Resume",
    title: "Resume all runs?",
    effect: "All waiting actions and notification steps start now, as far as agents have room.",
    confirm: "Resume all runs",
    keep: "Keep the pause",
    done: "The runs were resumed.",
    failed: "The runs were not resumed",
  },
};
