import { expect, test } from "bun:test";
import { admitLogin } from "../../../worker/services/sessions/login-limit.ts";
import { testDeps } from "../../support/test-deps.ts";

test("of many sign-ins at once, two are counted at a time, so that the other writes keep their room", async () => {
  let [running, most, counted] = [0, 0, 0];
  const write = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    counted += 1;
    return [];
  };
  const deps = testDeps("http://127.0.0.1:1");
  Object.assign(deps.db, { write });
  await Promise.all(
    Array.from({ length: 50 }, (_, n) => admitLogin(deps, `${n}@example.org`, { address: null, knownDevice: null })),
  );
  expect([most, counted]).toEqual([2, 50]);
});
