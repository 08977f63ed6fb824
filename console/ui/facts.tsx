import { Text } from "@mantine/core";
import { Fragment } from "react";
import type { ReactNode } from "react";
import classes from "./facts.module.css";

/** Properties of one thing as names and values, in two columns; in one column where there is little room. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={classes["facts"]}>
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" size="sm">
            {value}
          </Text>
        </Fragment>
      ))}
    </dl>
  );
}
