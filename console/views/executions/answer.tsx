import { Text } from "@mantine/core";
import { z } from "zod";
import { executionSteps as text } from "../../strings/en/execution-steps.ts";
import { exactTime } from "../../strings/time.ts";
import { actorLabel } from "../../ui/actor-label.ts";

const answerSchema = z.object({
  decision: z.enum(["approved", "rejected"]),
  by: z.string(),
  comment: z.string().nullable(),
  at: z.string(),
});

/** Who answered an approval, how, when and why. Nothing before a person has answered. */
export function Answer({ output }: { output: unknown }) {
  const answer = answerSchema.safeParse(output);
  if (!answer.success) return null;
  const { decision, by, comment, at } = answer.data;
  return (
    <div>
      <Text size="sm">{text.answer[decision](actorLabel(by), <time dateTime={at}>{exactTime(at)}</time>)}</Text>
      {comment === null ? null : (
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere", whiteSpace: "pre-wrap" }}>
          {text.answer.comment(comment)}
        </Text>
      )}
    </div>
  );
}
