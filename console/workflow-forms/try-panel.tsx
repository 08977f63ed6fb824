import "../api/zod-config.ts";
import { Accordion, Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useEffect, useMemo, useState } from "react";
import type { GivenNode, NodePreview, Sample, ValidateAnswer } from "../../schema/contract/dry-run.ts";
import type { WorkflowInput } from "../../schema/contract/management.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { Node } from "../../schema/contract/workflow.ts";
import { sampleProblems } from "../../worker/domain/dry-run/sample.ts";
import { graphsOf } from "../../worker/domain/graph/walk.ts";
import { call } from "../api/client.ts";
import { ApiProblem } from "../api/problem.ts";
import { useAction } from "../api/queries.ts";
import { ownOf } from "../graph/own-of.ts";
import { dryRun } from "../strings/en/dry-run.ts";
import { LoadingState, ProblemText } from "../ui/states.tsx";
import { PreviewItem } from "./preview-item.tsx";
import { placeProblems } from "./draft-problems.ts";
import { placeLabel } from "./field-label.ts";
import { problemSentence, problemText } from "./problems.ts";
import { sampleOf } from "./sample.ts";
import { SampleForm } from "./sample-form.tsx";
import { useLastTrigger, useTrial } from "./use-sample.ts";
import type { Given } from "./use-sample.ts";

const text = dryRun;

export interface TryPanelProps {
  draft: WorkflowInput;
  /** Gets what every node would do with the sample; null when the preview is no longer valid. */
  onPreview: (preview: NodePreview[] | null) => void;
}

interface Attempt {
  draft: WorkflowInput;
  sample: Sample;
  given: Given;
}

/** A dry run of a draft with sample data: nothing is executed. */
export default function TryPanel({ draft, onPreview }: TryPanelProps) {
  const last = useLastTrigger();
  if (last === undefined) return <LoadingState label={text.loading} />;
  return <Trial draft={draft} onPreview={onPreview} last={last} />;
}

function Trial({ draft, onPreview, last }: TryPanelProps & { last: Parameters<typeof sampleOf>[1] }) {
  const [{ sample: chosen, preset, given }, change] = useTrial();
  const suggested = useMemo(() => sampleOf(draft, last, Date.now(), preset), [draft, last, preset]);
  const isChosen = chosen !== null && sampleProblems(draft.trigger, chosen).length === 0;
  const sample = isChosen ? chosen : suggested;
  const [unread, setUnread] = useState<string | null>(null);
  const [tried, setTried] = useState<{ of: Attempt; answer: ValidateAnswer } | null>(null);
  const attempt = useAction(
    ({ draft, sample, given }: Attempt) =>
      call("POST", "/api/v1/automation/workflows/validate", {
        body: { ...draft, sample, nodes: ofNodesIn(draft, given) },
      }),
    {
      onDone: (answer, of) => {
        setTried({ of, answer });
        onPreview(answer.preview ?? null);
      },
    },
  );
  const isStale =
    tried !== null && (tried.of.draft !== draft || tried.of.sample !== sample || tried.of.given !== given);
  useEffect(() => {
    // The preview belongs to another draft.
    if (isStale) onPreview(null);
  }, [isStale, onPreview]);

  // Problems of the sample are a refusal; problems of the workflow are part of the answer.
  const refused = attempt.error instanceof ApiProblem ? attempt.error.errors : [];
  return (
    <Stack gap="md">
      <Text size="sm">{text.about}</Text>
      <SampleForm
        key={draft.trigger.type}
        trigger={draft.trigger}
        sample={sample}
        problems={refused}
        isChosen={isChosen}
        unread={unread}
        onUnread={setUnread}
        onChange={(next) => change({ sample: next })}
      />
      <Group gap="sm">
        <Button
          loading={attempt.isPending}
          disabled={unread !== null}
          onClick={() => attempt.mutate({ draft, sample, given })}
        >
          {tried === null ? text.start : text.again}
        </Button>
        {Object.keys(given).length === 0 ? null : (
          <Button variant="subtle" onClick={() => change({ given: {} })}>
            {text.clear}
          </Button>
        )}
      </Group>
      {attempt.error === null ? null : (
        <Alert color="red" role="alert" title={text.failed}>
          <ProblemText error={attempt.error} />
        </Alert>
      )}
      {tried === null ? null : (
        <Result
          answer={tried.answer}
          refused={refused}
          isStale={isStale}
          draft={draft}
          given={given}
          onGiven={(nodeId, next) => {
            const { [nodeId]: _before, ...others } = given;
            change({ given: next === undefined ? others : { ...given, [nodeId]: next } });
          }}
        />
      )}
    </Stack>
  );
}

interface ResultProps {
  answer: ValidateAnswer;
  refused: readonly FieldError[];
  isStale: boolean;
  draft: WorkflowInput;
  given: Given;
  onGiven: (nodeId: string, given: GivenNode | undefined) => void;
}

function Result({ answer, refused, isStale, draft, given, onGiven }: ResultProps) {
  const nodes = useMemo(() => nodesOf(draft), [draft]);
  const { preview, trigger, errors } = answer;
  return (
    <Stack gap="sm" role="region" aria-label={text.label}>
      {isStale ? (
        <Alert color="yellow" role="status" p="xs">
          {text.stale}
        </Alert>
      ) : null}
      {errors.length === 0 ? null : (
        <Alert color="red" title={text.problems} p="xs">
          {placeProblems(draft, errors, "error").map((one) => (
            <Text key={`${one.path} ${one.message}`} size="sm">
              <b>{placeLabel(one)}</b> {problemSentence(one, one.path)}
            </Text>
          ))}
        </Alert>
      )}
      {trigger?.starts === false ? (
        <Alert color="yellow" p="xs">
          {text.notStarted}
        </Alert>
      ) : null}
      {preview === undefined ? (
        <Text size="sm">{text.noPreview}</Text>
      ) : (
        <Accordion variant="contained" chevronPosition="left" multiple order={3}>
          {preview.map((one, index) => (
            <PreviewItem
              key={one.nodeId}
              preview={one}
              position={index + 1}
              node={nodes.get(one.nodeId)}
              given={ownOf(given, one.nodeId) ?? {}}
              givenError={problemText(refused, `nodes.${one.nodeId}`)}
              onGiven={(next) => onGiven(one.nodeId, next)}
            />
          ))}
        </Accordion>
      )}
    </Stack>
  );
}

function nodesOf({ definition }: WorkflowInput): ReadonlyMap<string, Node> {
  return new Map(graphsOf(definition).flatMap(({ graph }) => graph.nodes.map((node) => [node.id, node] as const)));
}

/** Drops assumptions about nodes that no longer exist. */
function ofNodesIn(draft: WorkflowInput, given: Given): Record<string, GivenNode> {
  const nodes = nodesOf(draft);
  return Object.fromEntries(Object.entries(given).filter(([id]) => nodes.has(id)));
}
