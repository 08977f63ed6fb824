import { expect, test } from "bun:test";
import { sha256, signedHeaders } from "../../worker/store/sigv4.ts";

/** The example "PUT Object" of Amazon's documentation of Signature Version 4. */
test("a signature is that of Amazon's example", async () => {
  const bodySha256 = await sha256(new TextEncoder().encode("Welcome to Amazon S3."));
  expect(bodySha256).toBe("44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072");
  const headers = await signedHeaders(
    {
      method: "PUT",
      url: new URL("https://examplebucket.s3.amazonaws.com/test%24file.text"),
      headers: { Date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
      bodySha256,
    },
    {
      region: "us-east-1",
      accessKeyId: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    },
    Date.parse("2013-05-24T00:00:00Z"),
  );
  expect(headers["Authorization"]).toBe(
    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class, Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  );
});
