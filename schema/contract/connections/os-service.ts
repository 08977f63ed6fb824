import { z } from "zod";
import { STREAMS } from "../action-outputs.ts";
import { wholeNumber } from "../action-params.ts";
import { configFields, connectionType, paramFields } from "./descriptor.ts";

const SERVICE = paramFields({
  service: { schema: z.string().min(1).max(256), label: "Service", placeholder: "nginx" },
});
const STATE = {
  ...STREAMS,
  service: { type: "text", help: "the service's name" },
  activeState: { type: "text", help: "the service's state afterwards" },
  subState: { type: "text", help: "the service's state in detail" },
  result: { type: "text", help: "the service's last result, from systemd", isOptional: true },
  journal: { type: "text", help: "the service's last log lines", isOptional: true },
  dependents: { type: "list", help: "the services that depend on it and were stopped", isOptional: true },
} as const;

export const osService = connectionType({
  label: "OS service",
  does: "Starts, stops and restarts services of the agent's host.",
  needs: "Only an agent, whose account may manage the services. Give it to one agent rather than to a pool.",
  icon: "server",
  config: configFields({}),
  secrets: null,
  needsCredential: () => false,
  target: () => ({}),
  runsCode: false,
  stages: ["Service manager", "Rights", "Restart of the system"],
  actions: {
    "os.restartService": {
      label: "Restart service",
      effect: "unsafe",
      params: SERVICE,
      output: STATE,
      example: { service: "nginx" },
    },
    "os.stopService": {
      label: "Stop service",
      effect: "idempotent",
      params: SERVICE,
      output: STATE,
      example: { service: "nginx" },
    },
    "os.startService": {
      label: "Start service",
      effect: "idempotent",
      params: SERVICE,
      output: STATE,
      example: { service: "nginx" },
    },
    "os.restartOS": {
      label: "Restart the machine",
      effect: "unsafe",
      params: paramFields({ delaySeconds: { schema: wholeNumber(0, 86_400).optional(), label: "Delay (seconds)" } }),
      output: { ...STREAMS, delaySeconds: { type: "number", help: "the seconds until the restart" } },
      example: { delaySeconds: 60 },
    },
  },
  example: { config: {}, secrets: [] },
});
