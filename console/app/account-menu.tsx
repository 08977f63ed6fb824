import { Menu, SegmentedControl, useMantineColorScheme } from "@mantine/core";
import { IconBook, IconLogout, IconPlayerPause, IconUser } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { AccountButton } from "./account-button.tsx";
import { PAUSE_DIALOG, usePause } from "./pause/paused.tsx";
import { useCan, useMe } from "./session.tsx";
import { useLeave } from "./use-leave.ts";
import { pause } from "../strings/en/pause.ts";
import { shell as text } from "../strings/en/shell.ts";

/** Replaces the button that loaded it, and opens. */
export default function AccountMenu() {
  const me = useMe();
  const [here] = useLocation();
  const isPaused = usePause() !== null;
  const mayPause = useCan("automation:execute");
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const leave = useLeave();
  const button = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState(false);
  useEffect(() => {
    // The focus returns to it when the menu closes.
    button.current?.focus();
    setOpened(true);
  }, []);
  return (
    <Menu position="bottom-end" width={260} withinPortal opened={opened} onChange={setOpened}>
      <Menu.Target>
        <AccountButton ref={button} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me.user === null ? me.actor : `${me.user.email} · ${me.user.role}`}</Menu.Label>
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label={text.account.colours}
          value={colorScheme}
          onChange={(value) => setColorScheme(value === "light" || value === "dark" ? value : "auto")}
          data={[
            { value: "light", label: text.account.light },
            { value: "auto", label: text.account.system },
            { value: "dark", label: text.account.dark },
          ]}
        />
        <Menu.Divider />
        <Menu.Item component={Link} href="/settings/account" leftSection={<IconUser size={16} aria-hidden />}>
          {text.account.yours}
        </Menu.Item>
        <Menu.Item component="a" href="/docs" target="_blank" leftSection={<IconBook size={16} aria-hidden />}>
          {text.account.apiReference}
        </Menu.Item>
        {mayPause && !isPaused ? (
          <Menu.Item
            component={Link}
            href={`${here}?open=${PAUSE_DIALOG}`}
            leftSection={<IconPlayerPause size={16} aria-hidden />}
          >
            {pause.command}
          </Menu.Item>
        ) : null}
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={leave}>
          {text.account.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
