import { Steps, TooComplex } from "../../domain/steps.ts";
import { ProblemError } from "../problem.ts";

/** Does work within the budget of one request; beyond the budget it throws `too_complex`. */
export async function withBudget<T>(work: (steps: Steps) => Promise<T>): Promise<T> {
  try {
    return await work(new Steps());
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error;
    throw new ProblemError("too_complex", error.message, { cause: error });
  }
}
