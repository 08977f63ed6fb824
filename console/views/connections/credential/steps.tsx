import { Title, UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import { credentials } from "../../../strings/en/credentials.ts";
import classes from "./steps.module.css";

const text = credentials.deliver.steps;

export const STEPS = ["agents", "verify", "secret", "deliver", "test"] as const;
export type Step = (typeof STEPS)[number];

interface Props {
  current: Step;
  /** The steps that a person can open now. */
  open: readonly Step[];
  /** The steps that need nothing more. */
  done: readonly Step[];
  onOpen: (step: Step) => void;
}

/** The steps of a delivery: the present one, the ones that are done, and the ones that can be opened. */
export function StepList({ current, open, done, onOpen }: Props) {
  return (
    <nav aria-label={text.label}>
      <ol className={classes["steps"]}>
        {STEPS.map((step, index) => {
          const isDone = step !== current && done.includes(step);
          return (
            <li key={step}>
              <UnstyledButton
                className={classes["step"]}
                aria-current={step === current ? "step" : undefined}
                data-done={isDone || undefined}
                disabled={step !== current && !open.includes(step)}
                onClick={() => onOpen(step)}
              >
                <span className={classes["mark"]} aria-hidden>
                  {isDone ? <IconCheck size={14} /> : index + 1}
                </span>
                <span className={classes["name"]}>{text.names[step]}</span>
                {isDone ? <VisuallyHidden> {text.done}</VisuallyHidden> : null}
              </UnstyledButton>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

/** `isFocused`: a person came from another step, so that the keyboard and screen readers continue here. */
export function StepTitle({ isFocused, children }: { isFocused: boolean; children: string }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isFocused) title.current?.focus();
  }, [isFocused]);
  return (
    <Title order={3} size="h5" ref={title} tabIndex={-1} style={{ outline: "none" }}>
      {children}
    </Title>
  );
}
