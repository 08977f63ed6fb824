import { describe, expect, test } from "bun:test";
import "../../support/quiet-log.ts";
import { Outbox, inBatches } from "../../../worker/actors/kit/outbox.ts";

const SECOND_MS = 1_000;
const START = Date.UTC(2026, 0, 5, 12);

interface Message {
  readonly id: number;
}

/** An object with messages for a receiver that the test can switch off. */
class Sender {
  now = START;
  isAway = false;
  /** Items that the receiver refuses although it is available. */
  readonly refused = new Set<number>();
  readonly pending: Message[] = [];
  readonly sent: number[] = [];
  answer: Promise<void> = Promise.resolve();
  readonly outbox = new Outbox<Message>({
    pending: () => new Set(this.pending),
    failuresMax: 18,
    send: async (message) => {
      this.sent.push(message.id);
      await this.answer;
      if (this.isAway || this.refused.has(message.id)) throw new Error("the receiver does not answer");
      this.pending.splice(this.pending.indexOf(message), 1);
    },
    now: () => this.now,
  });

  constructor(...ids: number[]) {
    this.pending = ids.map((id) => ({ id }));
  }

  get first(): Message {
    const [message] = this.pending;
    if (message === undefined) throw new Error("nothing is pending");
    return message;
  }
}

describe("an outbox", () => {
  test("sends every pending item once, and is then never due", async () => {
    const sender = new Sender(1, 2, 3);
    expect(sender.outbox.dueAt()).toBe(0);
    await sender.outbox.drain();
    expect(sender.sent).toEqual([1, 2, 3]);
    expect(sender.outbox.dueAt()).toBeNull();
  });

  test("sends items that are added while it sends, and no item twice", async () => {
    const sender = new Sender(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    sender.answer = promise;
    const first = sender.outbox.drain();
    sender.pending.push({ id: 2 });
    const second = sender.outbox.drain();
    resolve();
    await Promise.all([first, second]);
    expect(sender.sent).toEqual([1, 2]);
    expect(sender.outbox.dueAt()).toBeNull();
  });

  test("sends an item again until it is acknowledged, after 1, 2, 4, 8, 16, 30, 30 s", async () => {
    const sender = new Sender(1);
    sender.isAway = true;
    const pauses: number[] = [];
    for (let i = 0; i < 7; i += 1) {
      await sender.outbox.drain();
      const dueAt = sender.outbox.dueAt() ?? 0;
      pauses.push((dueAt - sender.now) / SECOND_MS);
      sender.now = dueAt;
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30]);
    sender.isAway = false;
    await sender.outbox.drain();
    expect(sender.outbox.dueAt()).toBeNull();
    sender.pending.push({ id: 2 });
    expect(sender.outbox.dueAt()).toBe(0);
  });

  test("sends nothing during the pause after a failure", async () => {
    const sender = new Sender(1);
    sender.isAway = true;
    await sender.outbox.drain();
    sender.now += SECOND_MS - 1;
    await sender.outbox.drain();
    expect(sender.sent).toEqual([1]);
  });

  test("treats a send that throws synchronously as not acknowledged", async () => {
    const message = { id: 1 };
    const send = () => {
      throw new Error("no such object");
    };
    const outbox = new Outbox<Message>({ pending: () => new Set([message]), send, now: () => START });
    await outbox.drain();
    expect(outbox.dueAt()).toBe(START + SECOND_MS);
  });

  test("has one call at a time for an item: a second call shares the outcome of the first", async () => {
    const sender = new Sender(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    sender.answer = promise;
    const message = sender.first;
    const both = Promise.all([sender.outbox.send(message), sender.outbox.drain()]);
    expect(sender.outbox.isSending(message)).toBe(true);
    resolve();
    expect(await both).toEqual([true, undefined]);
    expect(sender.sent).toEqual([1]);
    expect(sender.outbox.isSending(message)).toBe(false);
  });

  test("stays due while items are in flight, because the object may be evicted", () => {
    const sender = new Sender(1);
    sender.answer = new Promise(() => {});
    void sender.outbox.drain();
    expect(sender.outbox.dueAt()).toBe(START + 30 * SECOND_MS);
  });

  test("sends no further items after `failuresMax` failures, until their pause is over", async () => {
    const sender = new Sender(...Array.from({ length: 40 }, (_, id) => id));
    sender.isAway = true;
    await sender.outbox.drain();
    const { length } = sender.sent;
    expect(length).toBeGreaterThanOrEqual(18);
    expect(length).toBeLessThan(18 + 16);
    expect(sender.outbox.dueAt()).toBe(START + SECOND_MS);
    sender.isAway = false;
    sender.now += SECOND_MS;
    await sender.outbox.drain();
    expect(new Set(sender.sent).size).toBe(40);
    expect(sender.outbox.dueAt()).toBeNull();
  });

  test("holds other items back only if none is acknowledged, because a refusing receiver is available", async () => {
    const ids = Array.from({ length: 200 }, (_, id) => id);
    const sender = new Sender(...ids);
    for (const id of ids) if (id % 2 === 0) sender.refused.add(id);
    await sender.outbox.drain();
    expect(new Set(sender.sent)).toEqual(new Set(ids));
    expect(sender.outbox.dueAt()).toBe(START + SECOND_MS);
  });

  test("sends at most 16 items at a time", () => {
    const sender = new Sender(...Array.from({ length: 20 }, (_, id) => id));
    sender.answer = new Promise(() => {});
    void sender.outbox.drain();
    expect(sender.sent).toHaveLength(16);
  });
});

test("inBatches keeps the order of its answers", async () => {
  const slowFirst = async (n: number) => {
    for (let turn = 0; turn < 3 - n; turn += 1) await Promise.resolve();
    return n;
  };
  expect(await inBatches([0, 1, 2, 3], 2, slowFirst)).toEqual([0, 1, 2, 3]);
});
