import { describe, expect, test } from "bun:test";
import { CRON_PRESETS } from "../../schema/contract/cron.ts";
import { cronProblems } from "../../worker/domain/cron/index.ts";
import { parseCron } from "../../worker/domain/cron/parse.ts";

const messages = (expression: string) => cronProblems({ expression }).map(({ message }) => message);

describe("the five fields", () => {
  test.each([
    ["* * * * *"],
    ["0 0 1 1 0"],
    ["59 23 31 12 6"],
    ["*/1 */1 */1 */1 */1"],
    ["*/59 */23 */31 */12 */6"],
    ["0-59 0-23 1-31 1-12 0-6"],
    ["5-5 * * * *"],
    ["0,15,30,45 * * * *"],
    ["45,0,30,15,0 * * * *"],
    ["00 09 01 01 01"],
    ["0 9-17 * * 1-5"],
    ["0 0 29 2 *"],
    ["0 0 31 2,3 *"],
    ["0 0 31 2 1"],
    ["0 0 */30 2 *"],
    ["  0\t9   * * 1  "],
    ...CRON_PRESETS.map(({ expression }) => [expression]),
  ])("%p is taken", (expression) => {
    expect(messages(expression)).toEqual([]);
  });

  test("the order of a list does not matter", () => {
    const parsed = parseCron("45,0,30,15,0 * * * *");
    expect(parsed.ok && parsed.times.minutes).toEqual([0, 15, 30, 45]);
  });

  test("a step counts from the field's smallest value", () => {
    const parsed = parseCron("*/20 */9 */10 */5 */3");
    if (!parsed.ok) throw new Error("refused");
    expect(parsed.times.minutes).toEqual([0, 20, 40]);
    expect(parsed.times.hours).toEqual([0, 9, 18]);
    expect([...parsed.times.daysOfMonth]).toEqual([1, 11, 21, 31]);
    expect([...parsed.times.months]).toEqual([1, 6, 11]);
    expect([...parsed.times.daysOfWeek]).toEqual([0, 3, 6]);
  });

  test("presets are those of docs/design/workflows.md#cron-expressions", () => {
    expect(CRON_PRESETS.map(({ name, expression }) => [name, expression])).toEqual([
      ["every5Minutes", "*/5 * * * *"],
      ["hourly", "0 * * * *"],
      ["dailyAtMidnight", "0 0 * * *"],
      ["mondayAt9", "0 9 * * 1"],
      ["firstOfMonthAtNoon", "0 12 1 * *"],
    ]);
  });
});

describe("a refused expression gets an error with the field, the position and what to write", () => {
  test.each([
    // Out of range.
    ["60 * * * *", 'minute, position 1: "60" must be a number from 0 to 59'],
    ["* 24 * * *", 'hour, position 3: "24" must be a number from 0 to 23'],
    ["* * 0 * *", 'day of month, position 5: "0" must be a number from 1 to 31'],
    ["* * 32 * *", 'day of month, position 5: "32" must be a number from 1 to 31'],
    ["* * * 0 *", 'month, position 7: "0" must be a number from 1 to 12'],
    ["* * * 13 *", 'month, position 7: "13" must be a number from 1 to 12'],
    ["* * * * 8", 'day of week, position 9: "8" must be a number from 0 to 6'],
    ["0,15,75 * * * *", 'minute, position 6: "75" must be a number from 0 to 59'],
    ["0-60 * * * *", 'minute, position 3: "60" must be a number from 0 to 59'],
    ["100 * * * *", 'minute, position 1: "100" must be a number from 0 to 59'],
    ["* * * * 1-9", 'day of week, position 11: "9" must be a number from 0 to 6'],
    // Steps.
    ["*/0 * * * *", 'minute, position 3: the step "0" must be a number from 1 to 59'],
    ["*/60 * * * *", 'minute, position 3: the step "60" must be a number from 1 to 59'],
    ["0 */24 * * *", 'hour, position 5: the step "24" must be a number from 1 to 23'],
    ["*/100 * * * *", 'minute, position 3: the step "100" must be a number from 1 to 59'],
    // Other crons' forms, in ours.
    ["1-5,10 * * * *", 'minute, position 1: "1-5,10" is a list with entries that are not numbers; write 1,2,3,4,5,10'],
    ["0-30/10 * * * *", 'minute, position 1: "0-30/10" has a step after something other than *; write 0,10,20,30'],
    ["0-59/5 * * * *", 'minute, position 1: "0-59/5" has a step after something other than *; write */5'],
    ["5/15 * * * *", 'minute, position 1: "5/15" has a step after something other than *; write 5,20,35,50'],
    ["/7 * * * *", 'minute, position 1: "/7" has a step after something other than *; write */7'],
    ["*,5 * * * *", 'minute, position 1: "*,5" is a list with entries that are not numbers; write *'],
    ["5-1 * * * *", 'minute, position 1: "5-1" is a range that runs backwards; write *, */N, N-M or N,M,O'],
    ["0 22-2 * * *", 'hour, position 3: "22-2" is a range that runs backwards; write 0,1,2,22,23'],
    ["* * * * 7", 'day of week, position 9: "7" has 7 in it, and Sunday is 0; write 0'],
    ["* * * * 5-7", 'day of week, position 11: "5-7" has 7 in it, and Sunday is 0; write 0,5,6'],
    ["* * * * 1,7", 'day of week, position 11: "1,7" has 7 in it, and Sunday is 0; write 0,1'],
    ["* * * * 1-7", 'day of week, position 11: "1-7" has 7 in it, and Sunday is 0; write *'],
    ["* * * * MON", 'day of week, position 9: "MON" contains names, and only numbers are accepted; write 1'],
    [
      "* * * * mon-Friday",
      'day of week, position 9: "mon-Friday" contains names, and only numbers are accepted; write 1-5',
    ],
    ["* * * JAN,DEC *", 'month, position 7: "JAN,DEC" contains names, and only numbers are accepted; write 1,12'],
    ["0 0 ? * *", 'day of month, position 5: "?" is not supported; write *'],
  ])("%p", (expression, message) => {
    expect(messages(expression)).toEqual([message]);
  });

  test.each([
    ["0 0 L * *", "day of month, position 5: "],
    ["0 0 15W * *", "day of month, position 7: "],
    ["0 0 * * 5#3", "day of week, position 10: "],
    ["0 0 * * MON#2", "day of week, position 9: "],
    ["* MON * * *", "hour, position 3: "],
    ["1,,2 * * * *", "minute, position 2: "],
    ["1, * * * *", "minute, position 2: "],
    [",1 * * * *", "minute, position 1: "],
    ["1- * * * *", "minute, position 1: "],
    ["-5 * * * *", "minute, position 1: "],
    ["*5 * * * *", "minute, position 1: "],
    ["*/ * * * *", "minute, position 1: "],
    ["*/-5 * * * *", "minute, position 1: "],
    ["65/15 * * * *", "minute, position 1: "],
    ["* * * * +1", "day of week, position 9: "],
    ["* * * * FRI#2", "day of week, position 9: "],
    ["1-2-3 * * * *", "minute, position 1: "],
    ["5.5 * * * *", "minute, position 2: "],
    ["+5 * * * *", "minute, position 1: "],
    ["x * * * *", "minute, position 1: "],
    ["٥ * * * *", "minute, position 1: "],
    ["* * * * *\n", "day of week, position 10: "],
    ["* * * *\u00a0* 1", "month, position 8: "],
  ])("%p names the field and the place, and the forms there are", (expression, start) => {
    const [message, ...others] = messages(expression);
    expect(others).toEqual([]);
    expect(message).toStartWith(start);
    expect(message).toContain("write *, */N, N-M or N,M,O");
  });

  test.each([
    ["", "is empty: write five fields, such as 0 9 * * 1"],
    ["   ", "is empty: write five fields"],
    ["*", "position 2: there is 1 field"],
    ["0 0 * *", "position 8: there are 4 fields, and five are needed; the day of week is missing"],
    ["0 0 * ", "position 6: there are 3 fields, and five are needed; the month, day of week are missing"],
    ["0 0 0 * * *", "position 11: there are 6 fields"],
    ["1, 2 * * * *", "position 12: there are 6 fields"],
    ["0 0 1 1 * 2026 x", "position 11: there are 7 fields"],
    ["@daily", 'position 1: shortcuts such as "@daily" are not supported; write 0 0 * * *'],
    [" @HOURLY", 'position 2: shortcuts such as "@HOURLY" are not supported; write 0 * * * *'],
    ["@reboot", "position 1: shortcuts"],
    ["@every 5m", "position 1: shortcuts"],
  ])("%p has not five fields", (expression, start) => {
    const [message, ...others] = messages(expression);
    expect(others).toEqual([]);
    expect(message).toStartWith(start);
  });

  test.each([["0 0 31 2 *"], ["0 0 30 2 *"], ["0 0 31 4,6,9,11 *"], ["0 0 30,31 2 *"], ["0 0 31 2 */1"]])(
    "%p is never due",
    (expression) => {
      expect(messages(expression)).toEqual([expect.stringMatching(/^day of month, position 5: .* never due/u)]);
    },
  );

  test("all wrong fields are reported together", () => {
    expect(messages("1,75 99 32 0 8")).toEqual([
      expect.stringMatching(/^minute, position 3: "75"/u),
      expect.stringMatching(/^hour, position 6: "99"/u),
      expect.stringMatching(/^day of month, position 9: "32"/u),
      expect.stringMatching(/^month, position 12: "0"/u),
      expect.stringMatching(/^day of week, position 14: "8"/u),
    ]);
  });

  test("a field of any length gets a short message", () => {
    const [message] = messages(`${"x".repeat(200)} * * * *`);
    expect(message?.length).toBeLessThan(200);
  });
});

describe("the time zone", () => {
  const zoneProblems = (timezone: string) =>
    cronProblems({ expression: "* * * * *", timezone }).map(({ path, message }) => [path, message]);

  test.each([
    ["UTC"],
    ["GMT"],
    ["Europe/Berlin"],
    ["europe/berlin"],
    ["Asia/Kolkata"],
    ["America/Argentina/Buenos_Aires"],
    ["Etc/GMT-2"],
    ["CET"],
    ["EST5EDT"],
    ["Japan"],
  ])("%s is accepted", (timezone) => {
    expect(zoneProblems(timezone)).toEqual([]);
  });

  test.each([
    ["+02:00", "is an offset"],
    ["UTC+2", "is an offset"],
    ["GMT-3", "is an offset"],
    ["Berlin", "write Europe/Berlin"],
    ["new york", "write America/New_York"],
    ["PST", "is not an IANA time zone"],
    ["BST", "is not an IANA time zone"],
    ["Mars/Phobos", "write a name such as Europe/Berlin, or UTC"],
    ["local", "is not an IANA time zone"],
    ["123", "is not an IANA time zone"],
  ])("%s is refused", (timezone, part) => {
    expect(zoneProblems(timezone)).toEqual([["timezone", expect.stringContaining(part)]]);
  });

  test("a wrong zone is reported together with the problems of the expression", () => {
    const problems = cronProblems({ expression: "60 * * * *", timezone: "Nowhere" });
    expect(problems.map(({ path }) => path)).toEqual(["expression", "timezone"]);
  });
});
