import { expect } from "bun:test";
import { z } from "zod";
import { type ConnectionType, descriptorOf } from "../../schema/contract/connection.ts";

const checksSchema = z.array(z.object({ name: z.string() })).min(1);

/**
 * Expects the checks of a connection test to be stages of its type's descriptor, in their order; some may be absent.
 */
export function expectStages(type: ConnectionType, checks: unknown): void {
  const names = checksSchema.parse(checks).map(({ name }) => name);
  expect(names).toEqual(descriptorOf(type).stages.filter((stage) => names.includes(stage)));
}
