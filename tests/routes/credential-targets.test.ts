import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CONNECTION_TYPES, connectionTargetSchema, takesCredential } from "../../schema/contract/connection.ts";
import { targetOf } from "../../schema/contract/credential-target.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { secretShapes } from "../../schema/contract/secret-shapes.ts";
import { changedTargetFields, targetFieldLabel } from "../../schema/contract/target-labels.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { casesOf, editedBy } from "../support/connection-cases.ts";
import { targetsOf } from "../support/credential-targets.ts";
import { call } from "../support/management-api.ts";

let bellhop: Bellhop;
let targets: ReturnType<typeof targetsOf>;
beforeAll(async () => {
  bellhop = await startBellhop();
  targets = targetsOf(bellhop);
});
afterAll(() => bellhop.stop());

const TYPES = CONNECTION_TYPES.filter(takesCredential);

describe.each(TYPES)("an edit of a connection of type %s", (type) => {
  const { config, changes, keeps, otherTargets = [] } = casesOf(type);
  const target = (edited: JsonObject) => targetOf(connectionTargetSchema.parse({ type, config: edited }));

  test("that changes its target makes the credential pending with a reason, until the edit is undone", async () => {
    for (const before of [{ config, changes }, ...otherTargets]) {
      const { id } = await targets.delivered(type, before.config);
      for (const change of before.changes) {
        const edited = editedBy(before.config, change);
        expect([change, await targets.patch(id, edited)]).toEqual([change, 200]);
        const fields = targetFieldLabel(changedTargetFields(target(before.config), target(edited)));
        const takesNone = secretShapes(type, edited)?.length === 0;
        const way = takesNone
          ? `The connection takes no credential now. Withdraw the credential (DELETE /connections/${id}/credentials), or change the connection back.`
          : `Deliver the credential again, or change the connection back. Or test the connection, so that the agent sees its target, and then bind the credential on the agent's machine (bellhop-agent credentials bind ${id}).`;
        expect([change, ...(await targets.statusOf(id))]).toEqual([
          change,
          "pending",
          `The connection's ${fields} changed after this credential was delivered. ${way}`,
        ]);
        expect(await targets.patch(id, before.config)).toBe(200);
        expect([change, ...(await targets.statusOf(id))]).toEqual([change, "delivered", null]);
      }
    }
  });

  test("that changes anything else keeps the credential delivered", async () => {
    const { id } = await targets.delivered(type, config);
    for (const change of keeps) {
      expect([change, await targets.patch(id, editedBy(config, change))]).toEqual([change, 200]);
      expect([change, ...(await targets.statusOf(id))]).toEqual([change, "delivered", null]);
    }
    await call(bellhop, "PATCH", `/connections/${id}`, { name: "another name" });
    expect(await targets.statusOf(id)).toEqual(["delivered", null]);
  });
});
