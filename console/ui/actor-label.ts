import { controls } from "../strings/en/shell.ts";
/** The label for an actor's id in the API: a person's email address, or a token's name. */
export function actorLabel(actor: string): string {
  if (actor.startsWith("user:")) return actor.slice("user:".length);
  if (actor.startsWith("token:")) return controls.actors.token(actor.slice("token:".length));
  if (actor.startsWith("integration:")) return controls.actors.integration;
  return actor === "bootstrap" ? controls.actors.bootstrap : actor;
}
