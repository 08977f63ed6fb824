import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { HelpLink } from "./help-link.tsx";
import { shell } from "../strings/en/shell.ts";

interface PageProps {
  title: string;
  /** One line below the title. */
  description?: ReactNode;
  /** Pages above this one, outermost first. */
  above?: readonly { label: string; href: string }[];
  /** Next to the title: a status. */
  beside?: ReactNode;
  /** Buttons, at the right. */
  actions?: ReactNode;
  /** A list whose columns use the whole window. */
  wide?: boolean;
  /** The page of docs/ and its heading, instead of the route's (console/app/pages.ts). */
  help?: string | undefined;
  children: ReactNode;
}

/** The frame of a page: breadcrumbs, title, status and actions. */
export function Page({ title, description, above = [], beside, actions, wide = false, help, children }: PageProps) {
  useDocumentTitle(shell.tab(title));
  return (
    <Stack gap="md" maw={wide ? undefined : 1480}>
      <Stack gap={4}>
        {above.length === 0 ? null : (
          <Breadcrumbs separatorMargin={6} aria-label={shell.breadcrumb}>
            {above.map(({ label, href }) => (
              <Anchor key={href} component={Link} href={href} size="sm">
                {label}
              </Anchor>
            ))}
          </Breadcrumbs>
        )}
        <Group justify="space-between" align="center" gap="sm">
          <Group gap="sm" align="center">
            <Title order={1} size="h2">
              {title}
            </Title>
            {beside}
          </Group>
          <Group gap="xs">
            {actions}
            <HelpLink to={help} />
          </Group>
        </Group>
        {description === undefined ? null : (
          <Text component="div" size="sm" c="dimmed">
            {description}
          </Text>
        )}
      </Stack>
      {children}
    </Stack>
  );
}
