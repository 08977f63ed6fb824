import { withTimeout } from "./with-timeout.ts";

const GROUP_MAX = 16;
/** A half-open connection must not hold up later calls for ever. */
const CALL_LIMIT_MS = 30_000;

interface Waiting<Input, Output> {
  input: Input;
  settled: PromiseWithResolvers<Output>;
}

/**
 * Calls from one object to others. Calls to one receiver that are made while another one is under way go together in
 * the next, at most 16, because a call costs more than the work in it. `send` gives an outcome for each input.
 */
export class GroupedCalls<Input, Output> {
  readonly #send: (receiver: string, inputs: Input[]) => Promise<readonly PromiseSettledResult<Output>[]>;
  /** By receiver, while a call to it is under way. */
  readonly #waiting = new Map<string, Waiting<Input, Output>[]>();

  constructor(send: (receiver: string, inputs: Input[]) => Promise<readonly PromiseSettledResult<Output>[]>) {
    this.#send = send;
  }

  call(receiver: string, input: Input): Promise<Output> {
    const settled = Promise.withResolvers<Output>();
    const waiting = this.#waiting.get(receiver);
    if (waiting !== undefined) waiting.push({ input, settled });
    else {
      const first = [{ input, settled }];
      this.#waiting.set(receiver, first);
      void this.#sendAll(receiver, first);
    }
    return settled.promise;
  }

  async #sendAll(receiver: string, waiting: Waiting<Input, Output>[]): Promise<void> {
    // Calls that are made in the same turn go together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const group = waiting.splice(0, GROUP_MAX);
      const inputs = group.map(({ input }) => input);
      try {
        const outcomes = await withTimeout(CALL_LIMIT_MS, `a call to ${receiver}`, this.#send(receiver, inputs));
        for (const [index, { settled }] of group.entries()) settle(settled, outcomes[index]);
      } catch (error) {
        for (const { settled } of group) settled.reject(error);
      }
    }
    this.#waiting.delete(receiver);
  }
}

function settle<T>({ resolve, reject }: PromiseWithResolvers<T>, outcome: PromiseSettledResult<T> | undefined): void {
  if (outcome?.status === "fulfilled") resolve(outcome.value);
  else reject(outcome?.reason ?? new Error("the call has no outcome for this input"));
}
