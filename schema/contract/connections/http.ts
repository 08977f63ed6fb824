import { z } from "zod";
import { RESPONSE } from "../action-outputs.ts";
import { dotSegmentsIn } from "../dot-segments.ts";
import { canCarryKey, HEADER_NAME, HEADER_VALUE, isOfTheMessage } from "../http-header.ts";
import { jsonValueSchema } from "../json.ts";
import type { JsonObject } from "../json.ts";
import { configFields, connectionType, paramFields, secretForms } from "./descriptor.ts";
import {
  AUTHENTICATION_TARGET,
  address,
  hasOneHost,
  hasTargets,
  httpUrl,
  password,
  problemWithPlaces,
  secretText,
  targetsInPlaceOf,
  userName,
} from "./fields.ts";

/** Headers with which servers treat a GET as another method. Many servers read `_` as `-`. */
const METHOD_OVERRIDE = /^x-(?:http-)?method(?:-override)?$/iu;

const headerName = z.string().regex(HEADER_NAME, "must be a header name");
/** URL parsers drop line breaks and tabs, and would then request another address. */
const addressText = z
  .string()
  .max(8_192)
  // oxlint-disable-next-line no-control-regex
  .regex(/^[^\u0000-\u001f\u007f]*$/u, "must have no line break and no other control character");

/** The path of a URL, in the spelling of the request. */
const basePath = z
  .string()
  .max(1_024)
  .regex(
    /^(?:\/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+)*\/?$/u,
    "must be a path such as /v2: segments after single slashes, without ? and #",
  )
  .refine((path) => dotSegmentsIn(path) === 0, "must not contain . or .. as a segment, encoded or not");

export const http = connectionType({
  label: "HTTP",
  does: "Requests to any HTTP API.",
  needs: "The API's address, and a token, key or password if it requires one.",
  icon: "api",
  config: configFields(
    {
      baseUrl: {
        schema: httpUrl.optional(),
        label: "Base URL",
        help: "All requests go below this URL. Write it without user and password.",
        placeholder: "https://api.example.com/v2",
        when: hasOneHost,
        target: { label: "address" },
      },
      targets: targetsInPlaceOf("baseUrl", { addresses: false }),
      basePath: {
        schema: basePath.optional(),
        label: "Base path",
        help: "All requests go below this path of the host, by HTTPS.",
        placeholder: "/v2",
        when: hasTargets,
        target: { label: "path" },
      },
      authType: {
        schema: z.enum(["none", "basic", "bearer", "apiKey"]),
        label: "Sign in with",
        start: "none",
        choices: {
          none: { label: "No sign-in" },
          basic: { label: "User and password", help: "HTTP Basic." },
          bearer: { label: "Bearer token" },
          apiKey: { label: "API key in a header" },
        },
        target: {
          ...AUTHENTICATION_TARGET,
          values: { none: "none", basic: "user and password", bearer: "bearer token", apiKey: "API key" },
        },
      },
      apiKeyHeader: {
        schema: headerName
          .refine(canCarryKey, {
            error: ({ input }) =>
              `${String(input)} is a header of the message itself and cannot carry a key: use the header in the API's documentation`,
          })
          .default("X-API-Key"),
        label: "API key header",
        when: ({ authType }) => authType === "apiKey",
        target: { label: "header of the API key" },
      },
      timeoutSeconds: { schema: z.int().min(1).max(3_600).default(30), label: "Request time limit (seconds)" },
      verifySsl: {
        schema: z.boolean().default(true),
        label: "Verify the certificate",
        help: "When off, the server's identity is not checked.",
        when: hasOneHost,
        target: {
          label: "TLS verification",
          values: { true: "on", false: "OFF: the server's identity is not checked" },
        },
      },
    },
    ({ baseUrl, targets, basePath, verifySsl }) => {
      const problem = problemWithPlaces("baseUrl", baseUrl, targets);
      if (problem !== null) return problem;
      if (targets !== undefined && !verifySsl) {
        return {
          path: ["verifySsl"],
          message: "must be true with targets: only its certificate shows that a host is the right one",
        };
      }
      if (targets !== undefined || basePath === undefined) return null;
      return { path: ["basePath"], message: "belongs to targets: write the path into baseUrl" };
    },
  ),
  secrets: secretForms(
    { token: { schema: secretText, label: "Token" } },
    { username: userName, password },
    { apiKey: { schema: secretText, label: "API key" } },
  ),
  secretsBy: { field: "authType", names: { none: null, basic: "password", bearer: "token", apiKey: "apiKey" } },
  needsCredential: ({ authType }) => authType !== "none",
  target: ({ baseUrl = "", targets, basePath = "", authType, apiKeyHeader, verifySsl }): JsonObject => ({
    ...(targets === undefined
      ? { baseUrl: address(baseUrl) }
      : {
          targets: targets.toSorted(),
          ...(/^\/?$/u.test(basePath) ? {} : { basePath: basePath.replace(/\/$/u, "") }),
        }),
    authType,
    verifySsl,
    ...(authType === "apiKey" ? { apiKeyHeader: apiKeyHeader.toLowerCase() } : {}),
  }),
  runsCode: true,
  stages: ["HTTP request", "Authentication"],
  actions: {
    "http.request": {
      label: "HTTP request",
      effect: "unsafe",
      effectOf: ({ method = "GET" }) => (onlyReads(method) ? "read" : "unsafe"),
      runsCode: ({ method = "GET", headers }) => !onlyReads(method) || Object.keys(headers ?? {}).some(isOverride),
      params: paramFields(
        {
          method: {
            schema: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]).default("GET"),
            label: "Method",
          },
          path: {
            schema: addressText
              .refine((path) => dotSegmentsIn(path.split("?")[0] ?? "") === 0, {
                error: "must not contain . or .. as a segment, encoded or not: the path must stay below the base URL",
              })
              .optional(),
            label: "Path",
            help: "Below the connection's base URL. A value in a longer text is one segment: its slashes are escaped. A single template is the whole path, unescaped.",
          },
          url: {
            schema: addressText.pipe(httpUrl).optional(),
            label: "URL",
            help: "A complete address instead of a path. With a credential, it must be below the base URL.",
          },
          query: {
            schema: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
            label: "Query",
            help: "Added to the address; values are escaped.",
          },
          headers: {
            schema: z
              .record(
                headerName.refine((name) => !isOfTheMessage(name), {
                  error: "is set by the agent: leave it out",
                }),
                z
                  .string()
                  .max(8_192)
                  .regex(HEADER_VALUE, "contains a line break or a character that headers cannot carry: encode it"),
              )
              .optional(),
            label: "Headers",
          },
          body: {
            schema: jsonValueSchema.optional(),
            label: "Body",
            help: "JSON. Any value in it may be a template.",
          },
          bodyType: { schema: z.enum(["json", "form", "text"]).default("json"), label: "Body type" },
          expectStatus: {
            schema: z.union([z.int().min(100).max(599), z.array(z.int().min(100).max(599)).min(1)]).optional(),
            label: "Expected status",
            help: "The statuses that count as success, separated by commas. When empty, all below 400.",
          },
        },
        ({ path, url, headers = {} }) => {
          if (path !== undefined && url !== undefined) {
            return { path: ["url"], message: "cannot be combined with path: use one of the two", always: true };
          }
          const twice = headerGivenTwice(Object.keys(headers));
          return twice === undefined
            ? null
            : { path: ["headers", twice], message: "is given twice: leave one out", always: true };
        },
      ),
      output: {
        ...RESPONSE,
        headers: { type: "object", help: "the headers of the answer" },
        bodyEncoding: { type: "text", help: "the encoding of a body that is not text", isOptional: true },
        url: { type: "text", help: "the address that answered, after a redirect", isOptional: true },
      },
      example: { method: "POST", path: "/incidents/42/notes", body: { text: "restarted" } },
    },
  },
  example: {
    config: {
      baseUrl: "https://api.example.com",
      authType: "apiKey",
      apiKeyHeader: "X-Key",
      timeoutSeconds: 5,
      verifySsl: false,
    },
    secrets: [{ token: "a-bearer-token" }, { username: "bot", password: "correct horse" }, { apiKey: "an-api-key" }],
  },
});

/** Header names are case-insensitive. */
function headerGivenTwice(names: readonly string[]): string | undefined {
  const lower = names.map((name) => name.toLowerCase());
  return names.find((_, index) => lower.indexOf(lower[index] ?? "") < index);
}

function onlyReads(method: unknown): boolean {
  return method === "GET" || method === "HEAD";
}

function isOverride(header: string): boolean {
  return METHOD_OVERRIDE.test(header.replaceAll("_", "-"));
}
