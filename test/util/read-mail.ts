// Reads a mail as it came over the wire: its headers, its text and its HTML.

export interface ReadMail {
  /** by lower-case name; a repeated header is a fault of the sender, so that all its values are here */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export function readMail(raw: string): ReadMail {
  const { headers, body } = split(raw);
  const type = headers['content-type']?.[0] ?? '';
  const boundary = /boundary="?([^";]+)"?/.exec(type)?.[1];
  const parts = boundary === undefined ? [] : body.split(`--${boundary}`).slice(1, -1);
  const read = parts.map((part) => split(part.replace(/^\r\n/, '')));
  const content = (wanted: string): string => {
    const part = read.find((one) => one.headers['content-type']?.[0]?.startsWith(wanted) === true);
    return part === undefined ? '' : decoded(part.body, part.headers['content-transfer-encoding']?.[0]);
  };
  return {
    headers,
    subject: (headers['subject']?.[0] ?? '').replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=\s*/gi, (_all, how, text) =>
      how.toUpperCase() === 'B'
        ? Buffer.from(String(text), 'base64').toString('utf8')
        : decoded(String(text).replaceAll('_', ' '), 'quoted-printable'),
    ),
    text: content('text/plain'),
    html: content('text/html'),
  };
}

function split(raw: string): { readonly headers: Record<string, string[]>; readonly body: string } {
  const end = raw.indexOf('\r\n\r\n');
  const headers: Record<string, string[]> = {};
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  for (const line of lines) {
    const colon = line.indexOf(':');
    (headers[line.slice(0, colon).toLowerCase()] ??= []).push(line.slice(colon + 1).trim());
  }
  return { headers, body: raw.slice(end + 4) };
}

function decoded(body: string, encoding: string | undefined): string {
  const text = body.replace(/\r\n$/, '');
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return text.replaceAll('\r\n', '\n');
  const bytes = text
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/gi, (_all, hex) => String.fromCodePoint(Number.parseInt(String(hex), 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8').replaceAll('\r\n', '\n');
}
