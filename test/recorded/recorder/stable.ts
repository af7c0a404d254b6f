// Removes the differences between two recordings of unchanged behaviour. They are the temporary folder, the signature
// of a session, and dates of the real clock in headers (transcript.ts). `doctor`'s facts about this machine and the
// builder's memory of files are removed too. process/fixed-process.mjs fixes all other values.

import { createHash } from 'node:crypto';

/** with a slash at its end; `start` names the program by its path */
const checkout = new URL('../../../', import.meta.url).pathname;
const longestText = 64 * 1024;

/** The recorded form of a text. */
export function stableText(text: string, root: string): string {
  return text
    .replaceAll(root, '<root>')
    .replaceAll(checkout, '<checkout>/')
    .replaceAll(/(.)\1{199,}/g, (run: string, character: string) => `<${run.length} times ${character}>`)
    .replaceAll(/\b(Node\.js|git) \d+\.\d+[\w.-]*/g, '$1 <version>')
    .replaceAll(/\b[\d.]+ [KMGT]B of disk are free/g, '<size> of disk are free')
    .replaceAll(/\bprocess( id)? \d+/g, 'process$1 <pid>')
    .replaceAll(/\bis \d+ s ahead/g, 'is <number> s ahead')
    .replaceAll(
      /"audit_head":\{"seq":(\d+),"hash":"[0-9a-f]{64}"/g,
      '"audit_head":{"seq":$1,"hash":"<of texts that hold the root>"',
    )
    .replaceAll(/^(\{"level":\d+,"time":")[^"]+/gm, '$1<time>')
    .replaceAll(/"duration_ms":\d+/g, '"duration_ms":"<number>"')
    .replaceAll(/\bmay open (?:\d+|any number of) files/g, 'may open <number> files')
    .replaceAll(/\b(eyJ[\w-]+\.eyJ[\w-]+)\.[\w-]{86}/g, '$1.<signature>');
}

/**
 * The recorded form of a text whose random values and times depend on the order of requests, and on the free ports of
 * the test's own servers.
 */
export function withoutRandomness(text: string): string {
  return text
    .replaceAll(/\b127\.0\.0\.1:\d{5}\b/g, '127.0.0.1:4098')
    .replaceAll(/\b(conn|ntf|pk|pub|repo|ses|tea|tok|usr|whs)_[0-9A-Za-z]{16}\b/g, '$1_0000000000000000')
    .replaceAll(/\bevt_[0-9A-Za-z]{22}\b/g, `evt_${'0'.repeat(22)}`)
    .replaceAll(/\bwhsec_[0-9A-Za-z+/]{43}=/g, `whsec_${'A'.repeat(43)}=`)
    .replaceAll(/\blib_([rw])_[0-9A-Za-z]{38}\b/g, 'lib_$1_<token>')
    .replaceAll(/\beyJ[\w-]+\.eyJ[\w-]+\.(?:<signature>)?[\w-]*/g, '<JWT>')
    .replaceAll(/\b[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}\b/g, '<user code>')
    .replaceAll(/\b[A-Z2-7]{4}(?:-[A-Z2-7]{4}){5}\b/g, '<recovery code>')
    .replaceAll(/\bses_[\w-]{30,}/g, 'ses_<session>')
    .replaceAll(/("device_code": ?"|device_code=)[\w-]+/g, '$1<device code>')
    .replaceAll(/\b20\d\d-\d\d-\d\dT[\d:.]+Z/g, '2027-01-01T00:00:00Z')
    .replaceAll(/"milliseconds":( ?)\d+/g, '"milliseconds":$10')
    .replaceAll(/\b\d+ ms\b/g, '0 ms');
}

/**
 * The recorded form of bytes: text as text, JSON over several lines where that loses nothing, and everything else as
 * its digest.
 */
export function stableBytes(bytes: Buffer, root: string): string {
  if (bytes.length === 0) return '(empty)';
  const text = bytes.toString('utf8');
  if (bytes.length > longestText || text.includes('\0') || !Buffer.from(text).equals(bytes))
    return `(${bytes.length} bytes, sha256 ${sha256(bytes)})`;
  return stableText(spread(text), root);
}

/** The first line names the kind of the bytes, so that two different contents never have the same text. */
function spread(text: string): string {
  for (const [indent, end] of [
    [undefined, ''],
    [undefined, '\n'],
    [2, '\n'],
  ] as const) {
    try {
      const json: unknown = JSON.parse(text);
      if (typeof json === 'object' && `${JSON.stringify(json, null, indent)}${end}` === text)
        return `json${indent === undefined ? '' : ', indented'}${end === '' ? '' : ', line feed'}\n${JSON.stringify(json, null, 1)}`;
    } catch {
      break;
    }
  }
  return text.endsWith('\n') ? `text\n${text.slice(0, -1)}` : `text, no line feed\n${text}`;
}

/** Dates of files that were written without a fixed date: the fixed clock is years behind. */
export function isOfRealClock(epochMs: number): boolean {
  return epochMs > Date.UTC(2025, 0, 1);
}

/** The builder remembers its sources by inode and change time of each file, and by digests of these. */
export function withoutStamps(path: string, bytes: Buffer): Buffer {
  if (!/^build\/sources\/(?:dir|artifact|package)-/.test(path)) return bytes;
  const text = bytes
    .toString('utf8')
    .replaceAll(/"\d+:\d+:\d+:\d+:\d+"/g, '"<stamp>"')
    .replaceAll(/"[0-9a-f]{32}":\[("(?:<stamp>)?")/g, '"<path>":[$1')
    .replaceAll(/"[\w-]{43}"/g, '"<stamps>"')
    .replaceAll(/"fingerprint":"[0-9a-f]{64}"/g, '"fingerprint":"<stamps>"');
  return Buffer.from(text);
}

export function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
