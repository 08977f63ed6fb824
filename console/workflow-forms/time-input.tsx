import { TextInput } from "@mantine/core";

interface TimeInputProps<P extends { hour: number; minute: number }> {
  preset: P;
  readOnly: boolean;
  onChange: (preset: P) => void;
}

/** A time of day. */
export function TimeInput<P extends { hour: number; minute: number }>({
  preset,
  readOnly,
  onChange,
}: TimeInputProps<P>) {
  const pad = (part: number) => String(part).padStart(2, "0");
  return (
    <TextInput
      type="time"
      label="At"
      w={130}
      value={`${pad(preset.hour)}:${pad(preset.minute)}`}
      readOnly={readOnly}
      onChange={(event) => {
        const [hour, minute] = event.currentTarget.value.split(":").map(Number);
        if (hour !== undefined && minute !== undefined) onChange({ ...preset, hour, minute });
      }}
    />
  );
}
