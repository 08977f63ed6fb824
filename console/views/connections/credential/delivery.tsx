import { Alert, Button, Group, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import type { ConnectionType } from "../../../../schema/contract/connection.ts";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import { TOO_SHORT_TO_MASK, tooShortToMask } from "../../../../schema/contract/masking.ts";
import { EmptyState, ProblemText, ReadState } from "../../../ui/states.tsx";
import { asSentence } from "../form/check-form.ts";
import type { Agents } from "../use-agents.ts";
import { targetStateOf } from "./confirmed-target.ts";
import { Delivered } from "./delivered.tsx";
import { KeylessAgents } from "./keyless-agents.tsx";
import { RecipientCard } from "./recipient-card.tsx";
import { checkSecrets, givenSecrets, labelOfSecret } from "./secret-fields.ts";
import type { SecretForm } from "./secret-fields.ts";
import { SecretInputs } from "./secret-inputs.tsx";
import { recipientStateOf } from "./recipient-state.ts";
import type { Decision } from "./recipient-state.ts";
import { useDelivery } from "./use-delivery.ts";
import type { ExpectedAgent } from "./use-expected-agents.ts";
import { useRecipients } from "./use-recipients.ts";
import type { CheckedRecipient } from "./use-recipients.ts";
import { WhereToCompare } from "./where-to-compare.tsx";

export interface DeliverProps {
  connection: ConnectionView;
  forms: readonly SecretForm[];
  expected: readonly ExpectedAgent[];
  agents: Agents;
  onClose: () => void;
}

/** The three steps of a delivery: the agents, the secret, and the result. */
export function Delivery({ connection, forms, expected, agents, onClose }: DeliverProps) {
  const { id, type } = connection;
  const recipients = useRecipients(id);
  const delivery = useDelivery(id);
  const [decisions, setDecisions] = useState<Readonly<Record<string, Decision & Pick<CheckedRecipient, "target">>>>({});
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [isWhole, setWhole] = useState(true);
  const [chosenForm, setChosenForm] = useState(0);
  const [attempted, setAttempted] = useState(false);
  const form = forms[chosenForm];
  const secrets = givenSecrets(typed);
  const problems = form === undefined ? [] : checkSecrets(type, form, secrets);
  const errorOf = (name: string) => (attempted ? (problems.find(({ path }) => path === name)?.message ?? null) : null);
  const stateOf = (recipient: CheckedRecipient) => {
    const decision = decisions[recipient.agentId];
    const target = targetStateOf(id, recipient.target, decision?.target);
    const state = recipientStateOf(recipient, decision);
    return { ...state, chosen: state.chosen && target.isConfirmed, target };
  };
  const chosen = (recipients.data ?? []).filter((recipient) => stateOf(recipient).chosen);

  const send = async () => {
    setAttempted(true);
    if (problems.length > 0 || !isWhole || chosen.length === 0) return;
    if (await delivery.deliver(chosen, secrets)) {
      setTyped({});
      setAttempted(false);
    } else {
      await recipients.refetch();
    }
  };

  if (delivery.delivered !== null) {
    return (
      <Delivered
        connection={connection}
        delivered={delivery.delivered}
        expected={expected}
        agents={agents}
        onClose={onClose}
      />
    );
  }
  return (
    <ReadState read={recipients}>
      {(all) => (
        <Stack gap="md">
          <Title order={3} size="h5">
            1. Verify each agent and the target
          </Title>
          {all.length === 0 ? null : <WhereToCompare />}
          <Stack gap="xs" component="ul" aria-label="Agents" style={{ listStyle: "none", margin: 0, padding: 0 }}>
            {all.map((recipient) => {
              const { agentId, computed, target } = recipient;
              const state = stateOf(recipient);
              return (
                <RecipientCard
                  key={`${agentId} ${computed}`}
                  recipient={recipient}
                  state={state}
                  disabled={delivery.isBusy}
                  onChoose={(choice) =>
                    setDecisions((before) => ({
                      ...before,
                      [agentId]: { fingerprint: computed, chosen: choice, former: state.former, target },
                    }))
                  }
                />
              );
            })}
          </Stack>
          {all.length > 0 ? null : (
            <EmptyState title="No agent can receive the credential yet">
              {connection.poolId === null
                ? "Its agent has not registered a key yet."
                : `No agent of the pool ${connection.poolId} has registered a key. Create an agent for the pool under Agents, or start an existing one.`}
            </EmptyState>
          )}
          <KeylessAgents agents={expected.filter((agent) => !all.some(({ agentId }) => agentId === agent.id))} />
          {all.length === 0 ? null : (
            <>
              <Title order={3} size="h5">
                2. Enter the secret
              </Title>
              <SecretInputs
                key={chosenForm}
                type={type}
                forms={forms}
                chosen={chosenForm}
                typed={typed}
                errorOf={errorOf}
                disabled={delivery.isBusy}
                onChoose={(index) => {
                  setChosenForm(index);
                  setTyped({});
                  setAttempted(false);
                }}
                onType={(name, value) => setTyped((before) => ({ ...before, [name]: value }))}
                onReplace={(next, whole) => {
                  setTyped(next);
                  setWhole(whole);
                }}
              />
              <ShortSecrets type={type} names={tooShortToMask(secrets)} />
              {errorOf("") === null ? null : (
                <Text size="sm" c="red" role="alert">
                  The credential {errorOf("")}.
                </Text>
              )}
              {delivery.problem === null ? null : (
                <Alert color="red" title="The credential was not delivered" role="alert">
                  <ProblemText error={delivery.problem} />
                </Alert>
              )}
              <Group>
                <Button onClick={() => void send()} loading={delivery.isBusy} disabled={chosen.length === 0}>
                  Encrypt and deliver{chosen.length < 2 ? "" : ` to ${chosen.length} agents`}
                </Button>
                <Button variant="default" onClick={onClose}>
                  Cancel
                </Button>
                {chosen.length > 0 ? null : (
                  <Text size="sm" c="dimmed">
                    Choose at least one agent above.
                  </Text>
                )}
              </Group>
            </>
          )}
        </Stack>
      )}
    </ReadState>
  );
}

/** Only a warning, because some systems have short passwords. */
function ShortSecrets({ type, names }: { type: ConnectionType; names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" role="status">
      {names.map((name) => (
        <Text key={name} size="sm">
          {asSentence(name === "" ? "It" : labelOfSecret(type, name), TOO_SHORT_TO_MASK)}
        </Text>
      ))}
    </Alert>
  );
}
