import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import { canonicalTarget } from "../../../../schema/contract/credential-target.ts";
import type { CredentialTarget } from "../../../../schema/contract/credential-target.ts";
import { call } from "../../../api/client.ts";
import { useMe } from "../../../app/session.tsx";
import { common } from "../../../strings/en/common.ts";
import { credentials } from "../../../strings/en/credentials.ts";
import { ProblemText, ReadState } from "../../../ui/states.tsx";
import type { Agents } from "../use-agents.ts";
import { AgentsStep } from "./agents-step.tsx";
import { keyStateOf, readCompared, rememberCompared, storeOf } from "./compared.ts";
import type { Store } from "./compared.ts";
import { targetStateOf } from "./confirmed-target.ts";
import { Delivered } from "./delivered.tsx";
import type { SecretForm } from "./secret-fields.ts";
import { SecretStep, useSecret } from "./secret-step.tsx";
import { StepList, StepTitle } from "./steps.tsx";
import type { Step } from "./steps.tsx";
import { useDelivery } from "./use-delivery.ts";
import type { ExpectedAgent } from "./use-expected-agents.ts";
import { useRecipients } from "./use-recipients.ts";
import type { CheckedRecipient } from "./use-recipients.ts";
import { VerifyStep, isSame } from "./verify-step.tsx";
import type { Comparison } from "./verify-step.tsx";

const text = credentials.deliver;
/** The steps before the secret is sent. */
const STEPS = ["agents", "verify", "secret"] as const satisfies readonly Step[];
const NOT_COMPARED: Comparison = { pasted: "", byEye: null };

export interface DeliverProps {
  connection: ConnectionView;
  forms: readonly SecretForm[];
  expected: readonly ExpectedAgent[];
  agents: Agents;
  onClose: () => void;
}

/** A delivery in steps: who gets the credential, the comparison of keys, the secret, the delivery and its test. */
export function Delivery(props: DeliverProps) {
  const { connection, expected, agents, onClose } = props;
  const recipients = useRecipients(connection.id);
  const store = storeOf(useMe().actor);
  const delivery = useDelivery(connection.id, store);
  if (delivery.delivered !== null) {
    const again = () => {
      delivery.again();
      void recipients.refetch();
    };
    return <Delivered {...{ connection, expected, agents, onClose }} delivered={delivery.delivered} onAgain={again} />;
  }
  return (
    <ReadState read={recipients}>
      {(all) => <Preparation {...props} store={store} all={all} delivery={delivery} readAgain={recipients.refetch} />}
    </ReadState>
  );
}

interface PreparationProps extends DeliverProps {
  store: Store;
  all: readonly CheckedRecipient[];
  delivery: ReturnType<typeof useDelivery>;
  readAgain: () => Promise<unknown>;
}

/** The steps until the secret is sent. Its state, with the secret, is gone when the delivery is accepted. */
function Preparation(props: PreparationProps) {
  const { connection, forms, expected, agents, onClose, store, all, delivery, readAgain } = props;
  const { id } = connection;
  const [wanted, setWanted] = useState<(typeof STEPS)[number] | null>(null);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [compared, setCompared] = useState(() => readCompared(store));
  const [comparisons, setComparisons] = useState<Readonly<Record<string, Comparison>>>({});
  /** The target that was shown when a person confirmed it in this dialog. */
  const [confirmed, setConfirmed] = useState<CredentialTarget | undefined>();
  const secret = useSecret(connection.type, forms);

  const chosen = all.filter((one) => !left.has(one.agentId) && !keyStateOf(one, compared).isForged);
  const toCompare = chosen
    .filter((one) => !keyStateOf(one, compared).isCompared)
    .map((recipient) => ({
      recipient,
      former: keyStateOf(recipient, compared).former,
      comparison: comparisons[recipient.agentId] ?? NOT_COMPARED,
    }));
  const missing = toCompare.filter((one) => !isSame(one)).map(({ recipient }) => recipient.name);
  const target = oneTargetOf(all);
  const isKnown = target !== null && targetStateOf(id, target, undefined, store).isConfirmed;
  const targetState =
    target === null ? { isConfirmed: false, former: null } : targetStateOf(id, target, confirmed, store);

  const isReady = chosen.length > 0 && targetState.isConfirmed;
  // A key or target that changed after a refused delivery brings the person back to its step.
  const furthest = !isReady ? 0 : toCompare.length > 0 ? 1 : 2;
  const index = Math.min(wanted === null ? 0 : STEPS.indexOf(wanted), furthest);
  const step = STEPS[index] ?? "agents";

  const proceed = () => {
    if (step === "agents") return setWanted(toCompare.length > 0 ? "verify" : "secret");
    const own = toCompare.map(({ recipient }) => recipient);
    setCompared(rememberCompared(compared, own, store));
    recordVerified(own);
    setWanted("secret");
  };
  const send = async () => {
    const secrets = secret.attempt();
    if (secrets !== null && !(await delivery.deliver(chosen, secrets))) await readAgain();
  };
  const names = chosen.map(({ name }) => name);
  const hint =
    step === "verify" && missing.length > 0
      ? credentials.verify.missing(missing)
      : step === "agents" && !isReady && all.length > 0 && target !== null
        ? chosen.length === 0
          ? credentials.agents.chooseOne
          : credentials.agents.confirmTarget
        : null;
  const isBlocked = step === "agents" ? !isReady : missing.length > 0;
  return (
    <Stack gap="md">
      <StepList
        current={step}
        open={delivery.isBusy ? [] : STEPS.slice(0, furthest + 1)}
        done={STEPS.slice(0, furthest)}
        onOpen={(next) => setWanted(STEPS.find((one) => one === next) ?? null)}
      />
      {delivery.problem === null ? null : (
        <Alert color="red" title={text.failed} role="alert">
          <ProblemText error={delivery.problem} />
        </Alert>
      )}
      <StepTitle key={step} isFocused={wanted !== null}>
        {credentials[step].title}
      </StepTitle>
      {step === "agents" ? (
        <AgentsStep
          connection={connection}
          recipients={all}
          expected={expected}
          isChosen={(one) => chosen.includes(one)}
          onChoose={(agentId, isChosen) =>
            setLeft((before) => new Set(isChosen ? [...before].filter((one) => one !== agentId) : [...before, agentId]))
          }
          target={target}
          targetState={{ ...targetState, isKnown: isKnown && targetState.isConfirmed }}
          onConfirmTarget={(isConfirmed) => setConfirmed(isConfirmed ? (target ?? undefined) : undefined)}
        />
      ) : step === "verify" ? (
        <VerifyStep
          toCompare={toCompare}
          known={names.filter((name) => !toCompare.some(({ recipient }) => recipient.name === name))}
          agents={agents}
          onCompare={(agentId, comparison) => setComparisons((before) => ({ ...before, [agentId]: comparison }))}
        />
      ) : (
        <SecretStep type={connection.type} forms={forms} secret={secret} agents={names} disabled={delivery.isBusy} />
      )}
      <Group>
        {index === 0 ? null : (
          <Button variant="default" disabled={delivery.isBusy} onClick={() => setWanted(STEPS[index - 1] ?? "agents")}>
            {text.back}
          </Button>
        )}
        {step === "secret" ? (
          <Button onClick={() => void send()} loading={delivery.isBusy}>
            {credentials.secret.submit(chosen.length)}
          </Button>
        ) : all.length === 0 ? null : (
          <Button onClick={proceed} disabled={isBlocked}>
            {text.continue}
          </Button>
        )}
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
      </Group>
      {hint === null ? null : (
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      )}
    </Stack>
  );
}

/** The target of all recipients; null when they differ, which an honest service never answers. */
function oneTargetOf(all: readonly CheckedRecipient[]): CredentialTarget | null {
  const [first] = all;
  if (first === undefined) return null;
  return all.every(({ target }) => canonicalTarget(target) === canonicalTarget(first.target)) ? first.target : null;
}

/** Records who compared these keys, as a hint for the team. A delivery does not depend on it, so a failure changes nothing. */
function recordVerified(recipients: readonly CheckedRecipient[]): void {
  for (const { agentId, computed } of recipients) {
    const path = { id: agentId };
    const body = { fingerprint: computed };
    call("POST", "/api/v1/automation/agents/{id}/verify-fingerprint", { path, body }).catch(() => {});
  }
}
