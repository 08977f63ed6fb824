import { z } from "zod";
import { jsonValueSchema } from "../json.ts";
import { problemWithKey } from "../private-key.ts";
import { isSecretName, LOOKS_LIKE_SECRET } from "../secret-name.ts";
import { steersPrograms } from "../variable-name.ts";
import { configFields, connectionType } from "./descriptor.ts";
import { secretText } from "./fields.ts";

const STEERS = "would change how every script finds or starts programs: choose another name";

const freeFields = z
  .record(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/u, "must be a name of letters, digits and _"),
    jsonValueSchema,
  )
  .superRefine((fields, context) => {
    for (const name of Object.keys(fields)) {
      const message = isSecretName(name) ? LOOKS_LIKE_SECRET : steersPrograms(name) ? STEERS : null;
      if (message !== null) context.addIssue({ code: "custom", path: [name], message });
    }
  });

/** Scripts get these as environment variables, so names that change every program are refused. */
const freeSecrets = z.record(z.string().min(1).max(128), secretText).superRefine((secrets, context) => {
  for (const [name, value] of Object.entries(secrets)) {
    const message = steersPrograms(name) ? STEERS : problemWithKey(name, value);
    if (message !== null) context.addIssue({ code: "custom", path: [name], message });
  }
});

export const custom = connectionType({
  label: "Custom",
  does: "Your own fields and secrets for scripts.",
  needs: "Names and values, which scripts get as environment variables. Deliver secrets after saving.",
  icon: "puzzle",
  config: configFields({
    fields: {
      schema: freeFields,
      label: "Fields",
      help: "Scripts get them as environment variables. Do not put secrets here: deliver them after saving.",
      target: { label: "fields" },
    },
  }),
  secrets: { forms: null, schema: freeSecrets },
  // It may have only fields.
  needsCredential: () => false,
  target: ({ fields }) => ({ fields }),
  targetWithoutFields: "scripts, as environment variables",
  runsCode: true,
  stages: ["bash", "python", "powershell", "Credential"],
  runsActionsOf: "script",
  actions: {},
  example: {
    config: { fields: { REGION: "eu", LIMITS: { cpu: 2 }, EMPTY: null, TEXT: "2" } },
    secrets: [{ DEPLOY_TOKEN: "a-deploy-token" }],
  },
});
