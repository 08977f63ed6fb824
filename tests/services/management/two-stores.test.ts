import { describe, expect, test } from "bun:test";
import { array, assert, asyncProperty, constant, constantFrom, integer, oneof, record, scheduler } from "fast-check";
import { storeInOrder } from "../../../worker/services/two-stores.ts";

/**
 * The protocol alone: a row with a conditional update, an object that ignores older epochs, and several writers whose
 * calls may be delayed, overtaken or lost together with their writer.
 */
interface Row {
  epoch: number;
  pushedEpoch: number;
  allowed: boolean;
}

class Crash extends Error {}

class World {
  row: Row = { epoch: 1, pushedEpoch: 1, allowed: true };
  object = { epoch: 1, allowed: true };
  readonly #pause: (label: string) => Promise<void>;

  constructor(pause: (label: string) => Promise<void>) {
    this.#pause = pause;
  }

  /** One attempt to set `allowed`; it stops at the call with the number `crashAt`. */
  async write(allowed: boolean | null, crashAt: number): Promise<boolean> {
    let calls = 0;
    const step = async (label: string) => {
      await this.#pause(label);
      calls += 1;
      if (calls === crashAt) throw new Crash();
    };
    await step("read");
    const seen = { ...this.row };
    const next = allowed ?? seen.allowed;
    const push = async (epoch: number) => {
      await step("push");
      if (epoch > this.object.epoch) this.object = { epoch, allowed: next };
    };
    const revokes = seen.allowed && !next;
    return storeInOrder({
      seen,
      revoke: revokes ? push : null,
      grant: revokes ? null : push,
      reserve: async (epoch) => {
        await step("reserve");
        return this.#update(seen.epoch, seen.pushedEpoch, { epoch });
      },
      commit: async ({ expectedEpoch, epoch, pushedEpoch }) => {
        await step("commit");
        return this.#update(expectedEpoch, seen.pushedEpoch, { epoch, pushedEpoch, allowed: next });
      },
      markPushed: async (epoch) => {
        await step("mark");
        if (this.row.epoch === epoch) this.row = { ...this.row, pushedEpoch: epoch };
      },
    });
  }

  /** A registering agent's call: it reads the row, and later sends the object the row's state. */
  async carry(): Promise<void> {
    await this.#pause("read");
    const { epoch, allowed } = this.row;
    await this.#pause("carry");
    if (epoch > this.object.epoch) this.object = { epoch, allowed };
  }

  get behind(): boolean {
    return this.row.epoch !== this.row.pushedEpoch;
  }

  #update(epoch: number, pushedEpoch: number, changes: Partial<Row>): boolean {
    if (this.row.epoch !== epoch || this.row.pushedEpoch !== pushedEpoch) return false;
    this.row = { ...this.row, ...changes };
    return true;
  }
}

const writer = record({
  // Null is the sweeper, which only sends the present state again.
  allowed: constantFrom<boolean | null | "carry">(true, false, null, "carry"),
  crashAt: oneof(constant(0), integer({ min: 1, max: 5 })),
});

describe("libSQL and an object, written in one order", () => {
  test("agree after any order of calls and any crashes, or the sweeper knows that they do not", () =>
    assert(
      asyncProperty(scheduler(), array(writer, { minLength: 1, maxLength: 5 }), async (turns, writers) => {
        const world = new World((label) => turns.schedule(Promise.resolve(), label).then(() => undefined));
        const attempts = writers.map(({ allowed, crashAt }) =>
          (allowed === "carry" ? world.carry() : world.write(allowed, crashAt)).catch((error: unknown) => {
            if (!(error instanceof Crash)) throw error;
          }),
        );
        await turns.waitFor(Promise.all(attempts));
        if (!world.behind) expect(world.object.allowed).toBe(world.row.allowed);
        expect(await turns.waitFor(world.write(null, 0))).toBe(true);
        expect(world.object.allowed).toBe(world.row.allowed);
        expect(world.behind).toBe(false);
      }),
      { numRuns: 500 },
    ));

  test("revoke in the object before libSQL", async () => {
    const world = new World(() => Promise.resolve());
    await world.write(false, 4).catch(() => undefined);
    expect(world.row.allowed).toBe(true);
    expect(world.object.allowed).toBe(false);
    expect(world.behind).toBe(true);
  });

  test("grant in libSQL before the object", async () => {
    const world = new World(() => Promise.resolve());
    await world.write(false, 0);
    await world.write(true, 3).catch(() => undefined);
    expect(world.row.allowed).toBe(true);
    expect(world.object.allowed).toBe(false);
    expect(world.behind).toBe(true);
  });

  test("keep their epochs for a change that the object does not need", async () => {
    const commits: object[] = [];
    const never = () => Promise.reject(new Error("not to be called"));
    await storeInOrder({
      seen: { epoch: 7, pushedEpoch: 5 },
      revoke: null,
      grant: null,
      reserve: never,
      commit: (write) => {
        commits.push(write);
        return Promise.resolve(true);
      },
      markPushed: never,
    });
    expect(commits).toEqual([{ expectedEpoch: 7, epoch: 7, pushedEpoch: 5 }]);
  });
});
