import { NO_CREDENTIAL } from "../connection-case.ts";

export const cases = NO_CREDENTIAL;
