/** Whether this is `npm run test:full`. */
export const FULL = process.env["BELLHOP_TEST_FULL"] === "1";
