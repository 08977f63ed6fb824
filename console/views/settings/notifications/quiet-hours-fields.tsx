import { MultiSelect, Select, SimpleGrid, Switch, TextInput } from "@mantine/core";
import { WEEKDAYS } from "../../../../schema/contract/notification-rule.ts";
import { cron } from "../../../strings/en/cron.ts";
import { notificationRules } from "../../../strings/en/notification-rules.ts";
import { weekday, zonesWith } from "../../../strings/time.ts";
import type { RuleFieldsProps } from "./rule-about-fields.tsx";

const text = notificationRules.form;

/** Whether a rule has quiet hours, and which. */
export function QuietHoursFields({ draft: { isQuiet, quiet }, change, error }: RuleFieldsProps) {
  const set = (part: Partial<typeof quiet>) => change({ quiet: { ...quiet, ...part } });
  const setDays = (chosen: string[]) => {
    const { days: _, ...rest } = quiet;
    const days = WEEKDAYS.filter((day) => chosen.includes(day));
    change({ quiet: days.length === 0 ? rest : { ...rest, days } });
  };
  return (
    <>
      <Switch
        label={text.quiet}
        description={text.quietHint}
        checked={isQuiet}
        onChange={(event) => change({ isQuiet: event.currentTarget.checked })}
      />
      {isQuiet ? (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              type="time"
              label={text.from}
              required
              value={quiet.from}
              error={error("quietHours.from")}
              onChange={(event) => set({ from: event.currentTarget.value })}
            />
            <TextInput
              type="time"
              label={text.to}
              required
              value={quiet.to}
              error={quiet.to === quiet.from && quiet.to !== "" ? text.sameTime : error("quietHours.to")}
              onChange={(event) => set({ to: event.currentTarget.value })}
            />
          </SimpleGrid>
          <Select
            label={cron.form.timeZone}
            data={zonesWith(quiet.timeZone)}
            value={quiet.timeZone}
            searchable
            allowDeselect={false}
            limit={50}
            error={error("quietHours.timeZone")}
            nothingFoundMessage={cron.form.noTimeZone}
            onChange={(timeZone) => set({ timeZone: timeZone ?? quiet.timeZone })}
          />
          <MultiSelect
            label={text.days}
            description={text.daysHint}
            data={WEEKDAYS.map((value, at) => ({ value, label: weekday((at + 1) % WEEKDAYS.length) }))}
            value={[...(quiet.days ?? [])]}
            error={error("quietHours.days")}
            searchable
            onChange={setDays}
          />
        </>
      ) : null}
    </>
  );
}
