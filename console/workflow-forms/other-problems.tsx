import { Alert, Stack, Text } from "@mantine/core";
import type { FieldError } from "../../schema/contract/problem.ts";
import { FixButton, Warning, useNotes } from "./notes.tsx";
import { isError, problemSentence, problemsElsewhere } from "./problems.ts";

/** Paths of fields that show their own warnings (notes.tsx). */
const NOTED = /^(?:params\.|(?:items|message|variables|when)$)/u;

/** Shows the problems and warnings that no field of the form shows, above the fields. */
export function OtherProblems({
  problems,
  shown,
  labelOf,
}: {
  problems: readonly FieldError[];
  shown: readonly string[];
  labelOf: (path: string) => string;
}) {
  const { found, onFix } = useNotes();
  const others = problemsElsewhere(problems, shown);
  const noted = shown.filter((path) => NOTED.test(path));
  const warnings = problemsElsewhere(
    found.filter((one) => !isError(one)),
    noted,
  );
  return (
    <>
      {others.length === 0 ? null : (
        <Alert color="red" role="alert" p="xs">
          {others.map((one) => (
            <div key={`${one.path} ${one.message}`} data-part={one.path} tabIndex={-1}>
              <Text size="sm">
                {one.path === "" ? null : <b>{labelOf(one.path)} </b>}
                {problemSentence(one, one.path)}
              </Text>
              <FixButton fix={one.fix} onFix={onFix} />
            </div>
          ))}
        </Alert>
      )}
      {warnings.length === 0 ? null : (
        <Stack gap={4}>
          {warnings.map((warning) => (
            <Warning key={`${warning.path} ${warning.message}`} warning={warning} at="" onFix={onFix} />
          ))}
        </Stack>
      )}
    </>
  );
}
