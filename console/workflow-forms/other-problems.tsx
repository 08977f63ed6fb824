import { Alert, Text } from "@mantine/core";
import type { FieldError } from "../../schema/contract/problem.ts";
import { problemsElsewhere } from "./problems.ts";

/** What is wrong and stands at none of the form's fields: said above them, so that it is not lost. */
export function OtherProblems({ problems, shown }: { problems: readonly FieldError[]; shown: readonly string[] }) {
  const others = problemsElsewhere(problems, shown);
  if (others.length === 0) return null;
  return (
    <Alert color="red" role="alert" p="xs">
      {others.map(({ path, message }) => (
        <Text key={`${path} ${message}`} size="sm">
          {path === "" ? message : `${path}: ${message}`}
        </Text>
      ))}
    </Alert>
  );
}
