import "../../support/quiet-log.ts";
import { expect, test } from "bun:test";
import { PAUSE_FOLLOWED_WITHIN_MS } from "../../../schema/limits.ts";
import { NOT_PAUSED, pause, resume } from "../../../worker/domain/control.ts";
import { controlReader } from "../../../worker/services/control/read-control.ts";
import { testDeps } from "../../support/test-deps.ts";

const PAUSED = pause(NOT_PAUSED, { by: "user:ana@example.com", at: 1, reason: "Failover" });

/** A control object and any number of isolates, with a clock. */
function deployment() {
  const place = { now: 1_000_000, state: NOT_PAUSED, isAway: false, reads: 0, answers: Promise.resolve() };
  const read = async () => {
    place.reads += 1;
    if (place.isAway) throw new Error("the object does not answer");
    await place.answers;
    return place.state;
  };
  const base = testDeps("http://127.0.0.1:1");
  const never = () => {
    throw new Error("not called");
  };
  const deps = {
    now: () => place.now,
    objects: { ...base.objects, control: () => ({ read, pause: never, resume: never }) },
  };
  const isolate = (limits?: Parameters<typeof controlReader>[0]) => {
    const reader = controlReader(limits);
    return () => reader(deps);
  };
  return { place, isolate };
}

test("each isolate follows a pause and its end within the limit, and reads the object once in two seconds", async () => {
  const { place, isolate } = deployment();
  const isolates = [isolate(), isolate()];
  const states = () => Promise.all(isolates.map((read) => read()));
  expect(await states()).toEqual([NOT_PAUSED, NOT_PAUSED]);
  for (const state of [PAUSED, resume(PAUSED, 2)]) {
    place.state = state;
    place.now += PAUSE_FOLLOWED_WITHIN_MS;
    const before = place.reads;
    expect(await states()).toEqual([state, state]);
    await states();
    expect(place.reads).toBe(before + 2);
  }
});

test("while the object does not answer, its last known state counts; with none known, runs are not paused", async () => {
  const { place, isolate } = deployment();
  const [knowing, fresh] = [isolate(), isolate()];
  place.state = PAUSED;
  expect(await knowing()).toEqual(PAUSED);
  place.isAway = true;
  place.now += 60_000;
  expect(await knowing()).toEqual(PAUSED);
  expect(await fresh()).toEqual(NOT_PAUSED);
  place.isAway = false;
  place.now += PAUSE_FOLLOWED_WITHIN_MS;
  expect(await fresh()).toEqual(PAUSED);
});

test("a first answer that took long is asked for again, because a pause may have begun meanwhile", async () => {
  const { place, isolate } = deployment();
  const read = isolate();
  const answer = Promise.withResolvers<void>();
  const late = async () => {
    await answer.promise;
    place.now += 4_900;
  };
  place.answers = late();
  const first = read();
  answer.resolve();
  await place.answers;
  place.answers = Promise.resolve();
  place.state = PAUSED;
  await first;
  expect(await read()).toEqual(PAUSED);
});

test("a first answer may take longer than later ones, so that a start under load does not pass a pause", async () => {
  const { place, isolate } = deployment();
  const read = isolate({ readMs: 1, firstReadMs: 10_000 });
  place.state = PAUSED;
  const answer = Promise.withResolvers<void>();
  place.answers = answer.promise;
  const first = read();
  // Longer than a later read may take.
  setTimeout(() => answer.resolve(), 20);
  expect(await first).toEqual(PAUSED);
  place.state = NOT_PAUSED;
  place.answers = new Promise(() => {});
  place.now += PAUSE_FOLLOWED_WITHIN_MS;
  expect(await read()).toEqual(PAUSED);
});
