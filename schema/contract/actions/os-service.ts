import { z } from "zod";
import { STREAMS } from "../action-outputs.ts";
import { wholeNumber } from "../action-params.ts";
import type { ActionContract } from "../action-types.ts";

const SERVICE = [...STREAMS, "service", "activeState", "subState", "result", "journal", "dependents"] as const;
const serviceParams = z.strictObject({ service: z.string().min(1).max(256) });

export const OS_SERVICE_ACTIONS = {
  "os.restartService": {
    connectionType: "osService",
    effect: "unsafe",
    params: serviceParams,
    code: {},
    output: SERVICE,
  },
  "os.stopService": {
    connectionType: "osService",
    effect: "idempotent",
    params: serviceParams,
    code: {},
    output: SERVICE,
  },
  "os.startService": {
    connectionType: "osService",
    effect: "idempotent",
    params: serviceParams,
    code: {},
    output: SERVICE,
  },
  "os.restartOS": {
    connectionType: "osService",
    effect: "unsafe",
    params: z.strictObject({ delaySeconds: wholeNumber(0, 86_400).optional() }),
    code: {},
    output: [...STREAMS, "delaySeconds"],
  },
} as const satisfies Record<string, ActionContract>;
