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

export function createFormPayload(): FormPayload {
  let [begun, isForm] = [0, true];
  // of an escape such as %7B: the digits that are still to come, and the value of those before
  let [digits, value] = [0, 0];
  const decodeByte = (byte: number): number | undefined => {
    if (begun < start.length) {
      isForm &&= byte === start[begun];
      begun += 1;
      return undefined;
    }
    if (digits > 0) {
      const digit = Number.parseInt(String.fromCharCode(byte), 16);
      isForm &&= !Number.isNaN(digit);
      digits -= 1;
      value = value * 16 + digit;
      return digits === 0 ? value : undefined;
    }
    if (byte === percent) {
      [digits, value] = [2, 0];
      return undefined;
    }
    isForm &&= byte !== ampersand;
    return byte === plus ? space : byte;
  };
  return {
    decode: (piece) => {
      const bytes = Buffer.allocUnsafe(piece.length);
      let length = 0;
      for (const byte of piece) {
        const decoded = decodeByte(byte);
        if (decoded !== undefined) length = bytes.writeUInt8(decoded & 0xff, length);
      }
      return bytes.subarray(0, length);
    },
    isWhole: () => isForm && begun === start.length && digits === 0,
  };
}
