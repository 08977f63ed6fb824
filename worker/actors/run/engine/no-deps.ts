import type { StepDeps } from "./types.ts";

/** For an execution that is only looked at: nothing new is made of it. */
export const NO_DEPS: StepDeps = {
  newId: () => {
    throw new Error("nothing is made when an execution is only looked at");
  },
  publishedBy: null,
  route: () => null,
  child: () => null,
};
