// The payload in a form that Gitea or Forgejo sends: they sign the JSON, and send it as the field `payload` of a form.
// The form is decoded piece by piece, so that the proof needs no more memory than that of a JSON body.

export interface FormPayload {
  /** The next bytes of the payload. */
  readonly decode: (piece: Buffer) => Buffer;
  /** False for bytes that are no form with this field alone. Call it after the last piece. */
  readonly isWhole: () => boolean;
}

const start = Buffer.from('payload=');
const [plus, percent, ampersand, space] = [0x2b, 0x25, 0x26, 0x20];

/** The value of a hexadecimal digit by its byte; -1 for other bytes. */
const digitOf = new Int8Array(256).fill(-1);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  digitOf[digit.charCodeAt(0)] = value;
  digitOf[digit.toUpperCase().charCodeAt(0)] = value;
}

export function createFormPayload(): FormPayload {
  let [begun, isForm] = [0, true];
  // of an escape such as %7B: the digits that are still to come, and the value of those before
  let [digits, value] = [0, 0];
  return {
    decode: (piece) => {
      const head = Math.min(start.length - begun, piece.length);
      isForm &&= piece.subarray(0, head).equals(start.subarray(begun, begun + head));
      begun += head;
      const bytes = Buffer.allocUnsafe(piece.length - head);
      let length = 0;
      for (let at = head; at < piece.length; at += 1) {
        const byte = piece[at] ?? 0;
        if (digits > 0) {
          const digit = digitOf[byte] ?? -1;
          if (digit < 0) isForm = false;
          digits -= 1;
          value = value * 16 + digit;
          if (digits === 0) bytes[length++] = value;
        } else if (byte === percent) {
          digits = 2;
          value = 0;
        } else {
          if (byte === ampersand) isForm = false;
          bytes[length++] = byte === plus ? space : byte;
        }
      }
      return bytes.subarray(0, length);
    },
    isWhole: () => isForm && begun === start.length && digits === 0,
  };
}
