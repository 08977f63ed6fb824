import { Alert, AppShell, Burger, Group, NavLink, ScrollArea, Text, VisuallyHidden } from "@mantine/core";
import { useDisclosure, useWindowEvent } from "@mantine/hooks";
import { IconClock } from "@tabler/icons-react";
import { Suspense } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import type { Permission } from "../../schema/contract/people.ts";
import { useOnline } from "../api/use-online.ts";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { HelpOfThePage } from "../ui/help-link.tsx";
import { LoadingState, NoPermission, NotHere } from "../ui/states.tsx";
import { TimeAgo, useNow } from "../ui/time.tsx";
import { NAVIGATION, PAGES } from "./pages.ts";
import { PaletteButton } from "./palette/palette-button.tsx";
import { useNotedPages } from "./palette/recent.ts";
import { Paused } from "./pause/paused.tsx";
import { useMe } from "./session.tsx";
import { useTitleOfThePage } from "./use-title-of-the-page.ts";
import { useApprovalsToAnswer } from "./use-approvals-to-answer.ts";
import { useTopOfThePage } from "./use-top-of-the-page.ts";
import { UserMenu } from "./user-menu.tsx";
import classes from "./shell.module.css";
import { shell as text } from "../strings/en/shell.ts";

const SESSION_END_SHOWN_MS = 10 * 60_000;

/** The frame around every page: the navigation and the account menu. */
export function Shell() {
  const [location] = useLocation();
  const { permissions } = useMe();
  const isHeld = (needs: Permission | null) => needs === null || permissions.includes(needs);
  const title = useTitleOfThePage(useApprovalsToAnswer());
  useTopOfThePage(location);
  useNotedPages(location, title);
  const [opened, { toggle, close }] = useDisclosure(false);
  useWindowEvent("keydown", ({ key }) => {
    if (key === "Escape") close();
  });
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 216, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding={{ base: "sm", sm: "lg" }}
    >
      <AppShell.Header>
        <a className={classes["skip"]} href="#content">
          {text.skipToContent}
        </a>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={text.navigation}
              aria-expanded={opened}
            />
            <Link href="/" className={classes["brand"] ?? ""}>
              <img src="/favicon.svg" width={26} height={26} alt="" />
              <Text fw={700} size="lg" component="span">
                {text.product}
              </Text>
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <PaletteButton />
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label={text.pages} className={opened ? "" : (classes["closed"] ?? "")}>
        <AppShell.Section grow component={ScrollArea}>
          {NAVIGATION.filter(({ needs }) => isHeld(needs)).map(({ path, label, icon: Icon }) => {
            const here = path === "/" ? location === "/" : location.startsWith(path);
            return (
              <NavLink
                key={path}
                component={Link}
                href={path}
                label={label}
                leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
                active={here}
                aria-current={here ? "page" : undefined}
                onClick={close}
              />
            );
          })}
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes["content"] ?? ""}>
        <Offline />
        <SessionEnd />
        <ErrorBoundary key={location}>
          <Suspense fallback={<LoadingState />}>
            <Switch>
              {PAGES.map(({ path, needs, help, view: View }) => (
                <Route key={path} path={path}>
                  {(params) =>
                    isHeld(needs) ? (
                      <HelpOfThePage value={help}>
                        <View params={params} />
                      </HelpOfThePage>
                    ) : (
                      <NoPermission />
                    )
                  }
                </Route>
              ))}
              <Route>
                <NotHere />
              </Route>
            </Switch>
          </Suspense>
        </ErrorBoundary>
        <Paused />
        <VisuallyHidden aria-live="polite">{title}</VisuallyHidden>
      </AppShell.Main>
    </AppShell>
  );
}

/** Says at once that the device has no network: a page may show an old state. */
function Offline() {
  return (
    <div role="status">
      {useOnline() ? null : (
        <Alert color="yellow" p="xs" mb="sm">
          {text.offline}
        </Alert>
      )}
    </div>
  );
}

/** Warns that the session ends soon, while there is time to save. */
function SessionEnd() {
  const { expiresAt } = useMe();
  const now = useNow(15_000);
  if (expiresAt === null || Date.parse(expiresAt) - now > SESSION_END_SHOWN_MS) return null;
  return (
    <Alert color="yellow" icon={<IconClock aria-hidden />} mb="md" role="status">
      {text.sessionEnds(<TimeAgo at={expiresAt} />)}
    </Alert>
  );
}
