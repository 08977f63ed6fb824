/**
 * For requests to workerd, which closes a connection that was idle for 5 s: a POST that meets the close fails, and is not
 * sent again (docs/design/http-api.md#connections).
 */
export const NEW_CONNECTION = { keepalive: false } as const;
