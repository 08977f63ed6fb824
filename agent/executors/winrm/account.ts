export interface Account {
  user: string;
  /** Empty: the host decides. `.` means the host itself and becomes its name during the login. */
  domain: string;
}

/** Reads `DOMAIN\user`, `.\user`, `user@domain` and a bare name, as Windows does. */
export function readAccount(username: string): Account {
  const at = username.indexOf("\\");
  // A user principal name is sent unchanged, with an empty domain (MS-NLMP 2.2.1.3).
  if (at < 0) return { user: username, domain: "" };
  return { domain: username.slice(0, at), user: username.slice(at + 1) };
}

/** The name for Basic authentication, which accepts only local accounts. */
export function basicName(username: string): string {
  const { user, domain } = readAccount(username);
  return domain === "." ? user : username;
}
