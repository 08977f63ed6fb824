import type { DispatcherRefusal } from "../../actors/dispatcher/index.ts";
import { ProblemError } from "../problem.ts";

const RETRY_AFTER_SECONDS = 1;

export function isRefusal(answer: object): answer is DispatcherRefusal {
  return "refused" in answer;
}

/** The problem for an agent whose dispatcher does not serve it. */
export function refusalProblem({ refused }: DispatcherRefusal): ProblemError {
  switch (refused) {
    case "superseded":
      return new ProblemError(
        "superseded",
        "Another process registered later with this agent's key, and only that process is served. Give each agent its own key.",
      );
    case "register_again":
      return registerAgain();
    case "unauthorized":
      // libSQL has just confirmed the key, and the dispatcher knows of a change that libSQL does not show yet; they
      // agree in a moment. The key is right, so a 401 would send its owner looking in the wrong place.
      return new ProblemError("unavailable", "This agent's settings are being changed. Try again in a moment.", {
        headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
      });
  }
}

export function registerAgain(): ProblemError {
  return new ProblemError("register_again", "Register first, and send the session of the answer with every call.");
}
