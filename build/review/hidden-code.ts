// Signs that a PHP file hides what it does, and the hosts that its strings name. Pure.

import { calledFunction } from './code-findings.ts';
import type { Found } from './finding.ts';
import { literal, type Token } from './php-tokens.ts';

const decoders = new Set(
  (
    'base64_decode gzinflate gzuncompress gzdecode str_rot13 hex2bin convert_uudecode strrev urldecode rawurldecode ' +
    'openssl_decrypt'
  ).split(' '),
);
const mostOfLine = 5000;
const encodedLength = 400;
const mostGotos = 5;
/** Marks that turn text around, and characters without width. */
const unseenCharacters = /[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u2060]|(?!^)\ufeff/;
const hosts =
  /\b(?:https?|ftps?|wss?|tcp|udp|ssl|tls):\/\/(?:[\w.~%-]+(?::[^@\s/]{0,64})?@)?([a-z\d](?:[a-z\d.-]{0,250}[a-z\d])?)/gi;
const address = /^\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?$/;
/** Of one file; a list of hosts is data. */
const mostHosts = 100;

/** `text`: of the file, with its strings. */
export function hiddenCode(text: string, tokens: readonly Token[]): readonly Found[] {
  const gotos = tokens.filter(({ kind }) => kind === 'T_GOTO');
  return [
    ...linesThatHide(text),
    ...(gotos.length < mostGotos ? [] : [hidden('many goto', gotos[0]?.line ?? null)]),
    ...tokens.flatMap((token, at) => signsOf(token, tokens, at)),
  ];
}

function hidden(detail: string, line: number | null): Found {
  return { kind: 'hidden', detail, line };
}

function linesThatHide(text: string): readonly Found[] {
  const lines = text.split('\n');
  const long = lines.findIndex(({ length }) => length > mostOfLine);
  const unseen = lines.findIndex((line) => unseenCharacters.test(line));
  return [
    ...(long < 0 ? [] : [hidden(`a line of more than ${mostOfLine} characters`, long + 1)]),
    ...(unseen < 0 ? [] : [hidden('characters that nobody sees', unseen + 1)]),
    ...(text.includes('\ufffd') ? [hidden('bytes that are not UTF-8', null)] : []),
  ];
}

function signsOf({ kind, text, raw, line }: Token, tokens: readonly Token[], at: number): readonly Found[] {
  const name = calledFunction(tokens, at);
  const inner = name === undefined ? undefined : calledFunction(tokens, at + 2);
  if (name !== undefined && inner !== undefined && decoders.has(name) && decoders.has(inner))
    return [hidden(`${name}(${inner}`, line)];
  if (name === 'chr' && tokens[at + 4]?.text === '.' && calledFunction(tokens, at + 5) === 'chr')
    return [hidden('a text of chr()', line)];
  // eslint-disable-next-line no-control-regex -- every character but those of ASCII
  if (/^T_(?:VARIABLE|STRING|NAME_)/.test(kind) && /[^\x00-\x7f]/.test(text))
    return [hidden('names with other letters', line)];
  if (kind === 'T_HALT_COMPILER') return [hidden('data behind __halt_compiler', line)];
  return kind === literal || kind === 'T_ENCAPSED_AND_WHITESPACE' ? signsOfText(text, raw, line) : [];
}

function signsOfText(text: string, raw: string, line: number): readonly Found[] {
  const isEncoded = text.length >= encodedLength && /^[A-Za-z\d+/=\s]+$/.test(text) && /\d/.test(text);
  const named = [...(text.match(hosts)?.slice(0, mostHosts) ?? []), ...(address.test(text) ? [`tcp://${text}`] : [])];
  return [
    ...(isEncoded ? [hidden('a long encoded text', line)] : []),
    ...(/(?:\\x[\da-f]{1,2}|\\[0-7]{3}){8}/i.test(raw) ? [hidden('a text of \\x', line)] : []),
    ...named.map((url): Found => ({ kind: 'host', detail: (url.split(/[/@]/).at(-1) ?? '').toLowerCase(), line })),
  ];
}
