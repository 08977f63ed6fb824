export interface VendorInternal {
  /** The installed version that was checked. */
  version: string;
  /** Each import, and the only files that may have it. */
  imports: Readonly<Record<string, readonly string[]>>;
  reason: string;
}

/**
 * Every import of a part of a package outside its main API, which an update may change without notice; a test fails for
 * another installed version, another import or another importing file. After an update, read the package's changes to
 * these files, run the tests of the importers and write the new version here. This is a list and not a module that
 * exports the parts, so that service and agent bundle only their own imports, and a job of one connection type does not
 * load the packages of others.
 */
export const VENDOR_INTERNALS: Readonly<Record<string, VendorInternal>> = {
  tedious: {
    version: "20.3.9",
    imports: {
      "tedious/lib/value-parser.js": ["agent/executors/database/sqlserver/exact-numbers.ts"],
      "tedious/lib/token/helpers.js": ["agent/executors/database/sqlserver/exact-numbers.ts"],
    },
    reason:
      "tedious reads decimal, numeric and money as floating-point numbers and has no setting against that: a decimal of 38 " +
      "digits loses 22 of them. `readValue` is replaced for these types.",
  },
  nodemailer: {
    version: "10.6.0",
    imports: {
      "nodemailer/lib/smtp-connection": ["agent/executors/email/session.ts", "worker/services/notifications/smtp.ts"],
      "nodemailer/lib/mail-composer": ["agent/executors/email/letter.ts"],
    },
    reason:
      "A transport of nodemailer resolves names itself, opens its own socket and does not say when the whole message was handed " +
      "over, on which `outcome_unknown` depends. Its `exports` name these two parts, but also every other file.",
  },
};
