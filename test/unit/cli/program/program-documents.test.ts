// Tests that each command with --json has a schema for its document, that recorded documents match, and that the
// recordings have every command. test/util/run-cli.ts checks the documents of all other tests.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { createProgram } from '../../../../cli/program/program.ts';
import type { ProcessContext } from '../../../../cli/io/context.ts';
import { assertDescribed, describedCommands, schemaOf } from '../../../../release/documents/command-schemas.ts';
import { listCommands } from '../../../util/command-reference.ts';

const root = new URL('../../../../', import.meta.url).pathname;

const recordings = `${root}test/recorded/recordings`;
const recordedSteps = readdirSync(recordings, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.txt'))
  .flatMap((path) => readFileSync(`${recordings}/${path}`, 'utf8').split(/\n\n(?=[$>] )/));

/** Every recorded command line with --json, and its document. */
function recordedDocuments(): readonly { readonly line: string; readonly document: unknown }[] {
  return recordedSteps.flatMap((step) => {
    const [, line = '', document = ''] =
      /^\$ libretto ([^\n]*--json[^\n]*)\nexit \d+\n--- stdout, json[^\n]*\n(.*)$/s.exec(step) ?? [];
    return line === '' ? [] : [{ line, document: JSON.parse(/^\{.*^\}/ms.exec(document)?.[0] ?? document) as unknown }];
  });
}

it('every command is in the recordings, with a success and an error', () => {
  const runs = recordedSteps.flatMap((step) => {
    const [, line, code] = /^\$ libretto (.*)\nexit (\d+)/.exec(step) ?? [];
    return line === undefined ? [] : [{ line: `${line} `, succeeded: code === '0' }];
  });
  const leaves = listCommands(createProgram({} as ProcessContext, () => undefined))
    .filter(({ command }) => command.commands.length === 0)
    .map(({ path }) => path);
  const lacking = (succeeded: boolean) =>
    leaves.filter((leaf) => !runs.some((run) => run.succeeded === succeeded && run.line.startsWith(`${leaf} `)));
  expect({ withoutSuccess: lacking(true), withoutError: lacking(false) }).toEqual({
    withoutSuccess: [],
    withoutError: [],
  });
});

describe('the documents of --json', () => {
  it('have a schema for each command', () => {
    const commands = listCommands(createProgram({} as ProcessContext, () => undefined))
      .filter(({ command }) => command.options.some(({ long, hidden }) => long === '--json' && !hidden))
      .map(({ path }) => path);
    expect(describedCommands).toEqual(commands.toSorted());
  });

  it.each(describedCommands)('%s: every field has a description', (path) => {
    const lacking: string[] = [];
    const visit = (schema: unknown, place: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      for (const [key, part] of Object.entries(schema)) {
        if (key === 'properties')
          for (const [field, value] of Object.entries(part as object))
            if (!('description' in (value as object))) lacking.push(`${place}.${field}`);
        visit(part, `${place}.${key}`);
      }
    };
    visit(schemaOf(path), path);
    expect(lacking).toEqual([]);
  });

  it('match their schemas in every recording', () => {
    const documents = recordedDocuments();
    expect(documents.length).toBeGreaterThan(60);
    for (const { line, document } of documents) assertDescribed(line.split(' '), document);
  });

  it('may not have a field that no schema describes', () => {
    const document = { sound: true, head: { seq: 1, hash: 'a' } };
    assertDescribed(['audit', 'verify', '--json'], document);
    expect(() => assertDescribed(['audit', 'verify', '--json'], { ...document, more: 1 })).toThrow(
      'audit-verify.schema.json does not allow',
    );
  });
});
