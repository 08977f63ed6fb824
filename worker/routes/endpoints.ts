import type { Endpoint } from "../http/endpoint.ts";
import { poolEndpoints } from "./pools.ts";

/** Every endpoint of the service. The API's description is made from the same list. */
export const endpoints: readonly Endpoint[] = [...poolEndpoints];
