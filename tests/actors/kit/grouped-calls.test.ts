import { expect, jest, test } from "bun:test";
import { GroupedCalls } from "../../../worker/actors/kit/grouped-calls.ts";

/** Receivers that answer when the test says so, with twice each number; a negative number fails alone. */
function receivers() {
  const sent: { receiver: string; inputs: number[]; answer: PromiseWithResolvers<void> }[] = [];
  const calls = new GroupedCalls<number, number>(async (receiver, inputs) => {
    const answer = Promise.withResolvers<void>();
    sent.push({ receiver, inputs, answer });
    await answer.promise;
    return inputs.map((input) =>
      input < 0 ? { status: "rejected", reason: new Error(`no ${input}`) } : { status: "fulfilled", value: 2 * input },
    );
  });
  return { calls, sent, numbers: () => sent.map(({ receiver, inputs }) => [receiver, ...inputs]) };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

test("calls of one turn go together, and so do those that come while a call is under way", async () => {
  const { calls, sent, numbers } = receivers();
  const answers = [1, 2].map((input) => calls.call("a", input));
  await turn();
  answers.push(...[3, 4, 5].map((input) => calls.call("a", input)));
  await turn();
  expect(numbers()).toEqual([["a", 1, 2]]);
  sent[0]?.answer.resolve();
  await turn();
  expect(numbers()).toEqual([
    ["a", 1, 2],
    ["a", 3, 4, 5],
  ]);
  sent[1]?.answer.resolve();
  expect(await Promise.all(answers)).toEqual([2, 4, 6, 8, 10]);
  void calls.call("a", 6);
  await turn();
  expect(numbers().at(-1)).toEqual(["a", 6]);
});

test("a receiver that hangs does not hold up another one", async () => {
  const { calls, sent } = receivers();
  void calls.call("hangs", 1);
  const other = calls.call("other", 2);
  await turn();
  sent[1]?.answer.resolve();
  expect(await other).toBe(4);
});

test("an input that fails fails alone, and a call that fails fails for all of its inputs", async () => {
  const { calls, sent } = receivers();
  const first = Promise.allSettled([calls.call("a", 1), calls.call("a", -2)]);
  await turn();
  sent[0]?.answer.resolve();
  expect((await first).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  const second = Promise.allSettled([calls.call("a", 3), calls.call("a", 4)]);
  await turn();
  sent[1]?.answer.reject(new Error("gone"));
  expect((await second).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

test("a call has at most 16 inputs", async () => {
  const { calls, sent } = receivers();
  const all = Promise.all(Array.from({ length: 20 }, (_, input) => calls.call("a", input)));
  for (const index of [0, 1]) {
    await turn();
    sent[index]?.answer.resolve();
  }
  expect(await all).toHaveLength(20);
  expect(sent.map(({ inputs }) => inputs.length)).toEqual([16, 4]);
});

test("a call that hangs delays the next one by 30 s", async () => {
  jest.useFakeTimers();
  try {
    const { calls, sent, numbers } = receivers();
    const hanging = calls.call("a", 1);
    await microtasks();
    void calls.call("a", 2);
    jest.advanceTimersByTime(30_000);
    await microtasks();
    expect(numbers()).toEqual([
      ["a", 1],
      ["a", 2],
    ]);
    sent[0]?.answer.resolve();
    expect(await hanging).toBe(2);
  } finally {
    jest.useRealTimers();
  }
});

async function microtasks(): Promise<void> {
  for (let i = 0; i < 10; i += 1) await Promise.resolve();
}

test("large inputs do not go together: the platform limits a call", async () => {
  const sizes: number[] = [];
  const calls = new GroupedCalls<string, void>(async (_receiver, inputs) => {
    sizes.push(inputs.length);
    return inputs.map(() => ({ status: "fulfilled", value: undefined }));
  });
  await Promise.all(Array.from({ length: 4 }, () => calls.call("a", "x".repeat(3 * 1_024 * 1_024))));
  expect(sizes).toEqual([2, 2]);
});
