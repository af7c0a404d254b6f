// Git and PCRE match bytes, not characters: `?` is one byte of a UTF-8 name. Each unit of such a string is one byte.

/** The UTF-8 bytes of a text, one character each. */
export function byteString(text: string): string {
  return /^[\u0000-\u007f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}
