// HTTP/2 frames byte by byte, for clients that no library offers (RFC 9113 §4.1). Headers are not compressed.

const types = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

export type FrameType = keyof typeof types;

export const flags = { endStream: 1, ack: 1, endHeaders: 4 } as const;

export function frame(type: FrameType, flag: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(types[type], 3);
  head.writeUInt8(flag, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The beginning of a client's connection: the preface and its settings. */
export const opening = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame('SETTINGS', 0, 0)]);

/** A GET as a block of headers, each literal and never indexed (RFC 7541 §6.2.3). */
export function requestHeaders(path: string, token: string, more: Readonly<Record<string, string>> = {}): Buffer {
  const headers = {
    ':method': 'GET',
    ':scheme': 'https',
    ':path': path,
    ':authority': 'localhost',
    authorization: `Bearer ${token}`,
    ...more,
  };
  return Buffer.concat(Object.entries(headers).map(([name, value]) => literal(name, value)));
}

/** A whole request in one frame. */
export function requestFrame(stream: number, path: string, token: string): Buffer {
  return frame('HEADERS', flags.endStream | flags.endHeaders, stream, requestHeaders(path, token));
}

export function resetFrame(stream: number): Buffer {
  return frame('RST_STREAM', 0, stream, Buffer.from([0, 0, 0, 8]));
}

export function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0x10]), text(name), text(value)]);
}

/** A text after its length, in seven bits and further bytes as needed (RFC 7541 §5.1). */
function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  const length: number[] = [];
  if (bytes.length < 127) length.push(bytes.length);
  else {
    length.push(127);
    let rest = bytes.length - 127;
    for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) | 128);
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}
