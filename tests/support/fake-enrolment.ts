import { UNAUTHORIZED } from "./fake-service-http.ts";
import type { Refusal } from "./fake-service-http.ts";

export const FAKE_ENROLMENT_CODE = `bhe_${"s3cretCodePart".repeat(4).slice(0, 43)}`;

/** Exchanges FAKE_ENROLMENT_CODE once, and then refuses it as used. */
export class FakeEnrolment {
  #isUsed = false;

  exchange(code: string, apiKey: string): { data: { apiKey: string } } | Refusal {
    if (code !== FAKE_ENROLMENT_CODE) return { ...UNAUTHORIZED, detail: "the enrolment code is not known" };
    if (this.#isUsed) return { code: "gone", detail: "This enrolment code was used or replaced." };
    this.#isUsed = true;
    return { data: { apiKey } };
  }
}
