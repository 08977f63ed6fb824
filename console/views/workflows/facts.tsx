import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./facts.module.css";

/** Names and values, in two columns on a wide screen. */
export function Facts({ facts }: { facts: readonly { name: string; value: ReactNode }[] }) {
  return (
    <dl className={classes["facts"]}>
      {facts.map(({ name, value }) => (
        <div key={name} className={classes["fact"]}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" size="sm" m={0}>
            {value}
          </Text>
        </div>
      ))}
    </dl>
  );
}
