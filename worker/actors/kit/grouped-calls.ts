import { waitAtMost } from "./with-timeout.ts";

const GROUP_MAX = 16;
/** In characters of JSON. The platform takes at most 32 MiB, in a form that may be three times as long. */
const GROUP_MAX_SIZE = 8 * 1_024 * 1_024;
/** After this time the next call is made, although the one before has not ended: it may hang. */
const TURN_MAX_MS = 30_000;

interface Waiting<Input, Output> {
  input: Input;
  size: number;
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
    const one = { input, size: JSON.stringify(input).length, settled };
    const waiting = this.#waiting.get(receiver);
    if (waiting !== undefined) waiting.push(one);
    else {
      const first = [one];
      this.#waiting.set(receiver, first);
      void this.#sendAll(receiver, first);
    }
    return settled.promise;
  }

  async #sendAll(receiver: string, waiting: Waiting<Input, Output>[]): Promise<void> {
    // Calls that are made in the same turn go together.
    await Promise.resolve();
    while (waiting.length > 0) await waitAtMost(TURN_MAX_MS, this.#sendGroup(receiver, takeGroup(waiting)));
    this.#waiting.delete(receiver);
  }

  async #sendGroup(receiver: string, group: readonly Waiting<Input, Output>[]): Promise<void> {
    const inputs = group.map(({ input }) => input);
    try {
      const outcomes = await this.#send(receiver, inputs);
      for (const [index, { settled }] of group.entries()) settle(settled, outcomes[index]);
    } catch (error) {
      for (const { settled } of group) settled.reject(error);
    }
  }
}

/** Takes the first ones, at least one. */
function takeGroup<T extends { size: number }>(waiting: T[]): T[] {
  let size = 0;
  const end = waiting.findIndex((one, index) => {
    size += one.size;
    return index > 0 && (index >= GROUP_MAX || size > GROUP_MAX_SIZE);
  });
  return waiting.splice(0, end < 0 ? waiting.length : end);
}

function settle<T>({ resolve, reject }: PromiseWithResolvers<T>, outcome: PromiseSettledResult<T> | undefined): void {
  if (outcome?.status === "fulfilled") resolve(outcome.value);
  else reject(outcome?.reason ?? new Error("the call has no outcome for this input"));
}
