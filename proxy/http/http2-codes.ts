// The error codes of HTTP/2 with which streams are ended (RFC 9113 §7). node:http2 has them too, but costs each start its
// loading, and most servers speak HTTP/1.1 alone.

export const noError = 0;
export const internalError = 2;
export const cancel = 8;
