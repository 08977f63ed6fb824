import { Textarea } from "@mantine/core";
import { controls } from "../strings/en/shell.ts";

interface CommentFieldProps {
  value: string;
  onChange: (value: string) => void;
  autoFocus?: boolean;
}

/** The comment of a person who answers an approval. */
export function CommentField({ value, onChange, autoFocus = false }: CommentFieldProps) {
  return (
    <Textarea
      label={controls.comment.label}
      description={controls.comment.hint}
      data-autofocus={autoFocus || undefined}
      autosize
      maxRows={6}
      maxLength={10_000}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
