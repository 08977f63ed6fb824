import { expect, test } from "bun:test";
import { RunSlot } from "../../../worker/actors/run/slot.ts";

test("steps run one after the other, also across awaits", async () => {
  const slot = new RunSlot();
  const log: string[] = [];
  const first = Promise.withResolvers<void>();
  const one = slot.inTurn("step", async () => {
    log.push("one begins");
    await first.promise;
    log.push("one ends");
  });
  const two = slot.inTurn("step", async () => {
    log.push("two begins");
  });
  await Promise.resolve();
  first.resolve();
  await Promise.all([one, two]);
  expect(log).toEqual(["one begins", "one ends", "two begins"]);
});

test("a step does not wait for a publication", async () => {
  const slot = new RunSlot();
  const publication = Promise.withResolvers<void>();
  const published = slot.inTurn("publish", () => publication.promise);
  expect(await slot.inTurn("step", () => Promise.resolve("stepped"))).toBe("stepped");
  publication.resolve();
  await published;
});

test("publications keep the order of the commits", async () => {
  const slot = new RunSlot();
  const log: string[] = [];
  const enqueue = Promise.withResolvers<void>();
  const one = slot.inTurn("publish", async () => {
    await enqueue.promise;
    log.push("enqueue");
  });
  const two = slot.inTurn("publish", async () => {
    log.push("cancel");
  });
  enqueue.resolve();
  await Promise.all([one, two]);
  expect(log).toEqual(["enqueue", "cancel"]);
});

test("a failing step rejects only its own call, and the next step runs", async () => {
  const slot = new RunSlot();
  const failed = slot.inTurn("step", () => Promise.reject(new Error("libSQL is away")));
  const next = slot.inTurn("step", () => Promise.resolve(2));
  await expect(failed).rejects.toThrow("libSQL is away");
  expect(await next).toBe(2);
  expect(slot.idle).toBe(true);
});
