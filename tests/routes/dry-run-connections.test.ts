import { afterAll, beforeAll, expect, test } from "bun:test";
import { validateAnswerSchema } from "../../schema/contract/dry-run.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { call, createAgent, createConnection, dataOf } from "../support/management-api.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const validate = async (body: object) =>
  dataOf(await call(bellhop, "POST", "/workflows/validate", body), 200, validateAnswerSchema);
const draft = (node: object) => ({
  name: "tried",
  trigger: { type: "webhook" },
  definition: { nodes: [node], edges: [] },
});

test("an address outside the credential's base URL fails the node, and one below it does not", async () => {
  const config = { baseUrl: "https://api.example.com/v2", authType: "bearer" };
  const { id } = await createConnection(bellhop, { name: "an API", type: "http", config, poolId: "eu" });
  const errorWith = async (url: string) => {
    const node = {
      id: "a",
      type: "action",
      action: "http.request",
      connectionId: id,
      params: { url: "https://api.example.com/{{webhook.place}}/x" },
    };
    const { preview } = await validate({ ...draft(node), sample: { variables: { place: url } } });
    return preview?.map(({ outcome, error }) => [outcome, error?.code ?? null]);
  };
  expect(await errorWith("v2")).toEqual([["success", null]]);
  expect(await errorWith("admin")).toEqual([["failure", "invalid_params"]]);
});

test("a pool's only agent that is offline is named as the only one", async () => {
  await createAgent(bellhop, { name: "away", poolId: "one-agent" });
  const { id } = await createConnection(bellhop, { name: "its hosts", poolId: "one-agent" });
  const { preview } = await validate({
    ...draft({ id: "a", type: "action", action: "script.bash", connectionId: id, params: { script: "true" } }),
    sample: {},
  });
  expect(preview?.map(({ action }) => action?.runsOn?.waitingFor)).toEqual([
    "The only agent of the pool one-agent is offline or disabled: start it.",
  ]);
});
