// The HTTP/2 error codes that end streams (RFC 9113 §7). node:http2 has these codes too, but its import would slow
// every start, and most servers speak HTTP/1.1 alone.

export const noError = 0;
export const internalError = 2;
export const cancel = 8;
