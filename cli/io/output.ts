// The output of commands: tables for people, one JSON document for scripts. Only this file prints the secret of a
// token, once.

import type { TextStream } from './answer-stream.ts';
import { painted, type Paint } from './color.ts';

/** Control characters that JSON may hold, and that a terminal obeys; and marks that turn text around. */
const unsafe = /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Prints one document. With --json a command writes nothing else to standard output. */
export function printJson(stream: TextStream, document: unknown): void {
  const text = JSON.stringify(document, null, 2).replaceAll(
    unsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  stream.write(`${text}\n`);
}

/**
 * Prints text for people. A command in backquotes is shown as it works in the shell of the reader. `paint`: the colour
 * of a line, on a stream with colours.
 */
export function printLines(
  stream: TextStream,
  lines: readonly string[],
  paint: (line: string) => Paint | undefined = () => undefined,
): void {
  if (lines.length === 0) return;
  const text = lines.map((line) => painted(stream, paint(line), printable(line))).join('\n');
  stream.write(`${stream.typeable?.(text) ?? text}\n`);
}

/** Errors beside the result of a command. */
export function printProblems(stream: TextStream, lines: readonly string[]): void {
  printLines(stream, lines, () => 'red');
}

export function printWarnings(stream: TextStream, lines: readonly string[]): void {
  printLines(stream, lines, () => 'yellow');
}

/** Lines of a report; those of versions begin with a mark: + for an added version, - for a withdrawn one. */
export function printChanges(stream: TextStream, lines: readonly string[]): void {
  const paints: Readonly<Record<string, Paint>> = { '  + ': 'green', '  - ': 'red', '  ~ ': 'yellow' };
  printLines(stream, lines, (line) => paints[line.slice(0, 4)]);
}

/** Remarks beside the result of a command. */
export function printNotes(stream: TextStream, notes: readonly string[]): void {
  printWarnings(
    stream,
    notes.map((note) => `note: ${note}`),
  );
}

/** Rows under a head line, columns as wide as their widest cell. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows.map((row) => row.map(oneLine))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** `label  value` lines with the labels in one column. */
export function formatFields(fields: readonly (readonly [label: string, value: string])[]): string[] {
  const width = Math.max(...fields.map(([label]) => label.length));
  return fields.map(([label, value]) => `${label.padEnd(width)}  ${oneLine(value)}`);
}

/** Returns at most `most` of the lines, and a line with the number of the others. */
export function firstOf(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most - 1), `  … and ${lines.length - most + 1} more (--json lists them all)`];
}

/** `1 version`, `2 versions`; `many`: an irregular plural */
export function counted(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}

/**
 * Removes control characters, because names and messages come from untrusted files and must not control a terminal.
 * Newlines stay.
 */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are exactly what is looked for
  return text.replaceAll(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The same for a value that is a part of a line: it must not begin another one. */
export function oneLine(text: string): string {
  return printable(text).replaceAll('\n', '\\u000a');
}

/** A value with a token's secret. */
export interface Revealable {
  readonly reveal: () => string;
}

/** The secret in the clear. Called for a token that was just created, and nowhere else. */
export function revealSecret(secret: Revealable): string {
  return secret.reveal();
}
