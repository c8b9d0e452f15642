// Framing of a message's body on its way (RFC 9112 section 6.1). Node undoes `chunked`
// and takes any coding before it for granted, which would leave a body packed.

/** @param value of a Transfer-Encoding header, if present */
export function isKnownCoding(value: string | undefined): boolean {
  return value === undefined || value.trim().toLowerCase() === "chunked";
}

/** Node's code for a Transfer-Encoding header that it refuses itself, such as `identity`. */
export const codingRefusedCode = "HPE_INVALID_TRANSFER_ENCODING";

export const codingUnknown =
  "The Transfer-Encoding of the request is not known. Send chunked alone, or a Content-Length.";
