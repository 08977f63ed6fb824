import { z } from "zod";
import { WORKFLOW_TAG_MAX_CHARS, WORKFLOW_TAGS_MAX } from "../limits.ts";
import { isPlainText } from "./name.ts";

/** A word that groups workflows. Lower case and composed (NFC), so that two spellings are never two groups. */
export const workflowTagSchema = z
  .string()
  .trim()
  .toLowerCase()
  .normalize("NFC")
  .min(1)
  .max(WORKFLOW_TAG_MAX_CHARS)
  .refine(
    (tag) => isPlainText(tag) && !tag.includes(","),
    "must not contain commas, line breaks, control characters or text direction marks",
  );

export const workflowTagsSchema = z
  .array(workflowTagSchema)
  .max(WORKFLOW_TAGS_MAX)
  .superRefine((tags, context) => {
    tags.forEach((tag, at) => {
      if (tags.indexOf(tag) < at) context.addIssue({ code: "custom", path: [at], message: "is listed twice" });
    });
  });
