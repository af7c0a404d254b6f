// Tests the candidates for unfinished command lines, with the real declarations and a registry of the test.

import { describe, expect, it } from 'vitest';

import { complete, type ListCandidates } from '../../../../../cli/commands/completion/candidates.ts';
import { readUnfinished } from '../../../../../cli/commands/completion/command-line.ts';
import type { ProcessContext } from '../../../../../cli/io/context.ts';
import { createProgram } from '../../../../../cli/program/program.ts';

const program = createProgram({} as ProcessContext, () => undefined);
const read: ListCandidates = (things) => Promise.resolve([{ value: `${things}/1` }, { value: `${things}/2` }]);

async function candidates(...words: readonly string[]): Promise<readonly string[]> {
  const { candidates: found } = await complete(readUnfinished(program, words), read);
  return found.map(({ value }) => value);
}

describe('the candidates of a line', () => {
  it.each([
    ['a value that follows its option', ['token', 'create', '--kind', ''], ['read', 'write']],
    ['a value behind =', ['token', 'create', '--kind=r'], ['--kind=read']],
    ['a stability', ['token', 'create', '--stability', ''], ['stabilities/1', 'stabilities/2']],
    ['the id of an endpoint', ['notify', 'show', ''], ['endpoints/1', 'endpoints/2']],
    ['a type of events', ['notify', 'add', '--event', ''], ['events/1', 'events/2']],
    ['the form of an endpoint', ['notify', 'add', '--form', ''], ['forms/1', 'forms/2']],
    ['the token of a view', ['notify', 'add', '--view', ''], ['tokens/1', 'tokens/2']],
    ['a signature', ['notify', 'add', '--signature', ''], ['v1', 'v1a']],
    ['a feature', ['serve', '--features', 's'], ['search', 'statistics']],
    ['a word among alternatives', ['token', 'update', 'tok_1', '--limit', ''], ['default']],
    ['a list of packages', ['build', '--only', 'a/b', 'pack'], ['packages/1', 'packages/2']],
    ['an option after a list', ['build', '--only', 'a/b', '--str'], ['--strict']],
    ['the pattern of a token', ['token', 'create', '--package', 'p'], ['packages/1', 'packages/2']],
    ['an option that may be repeated', ['token', 'create', '--package', 'a/b', '--pack'], ['--package']],
    ['an option after an operand', ['token', 'revoke', 'tok_1', '--js'], ['--json']],
    ['an option of the program', ['token', 'revoke', '--qui'], ['--quiet']],
    ['the second argument', ['package', 'withdraw', 'a/b', ''], ['versions/1', 'versions/2']],
    ['a list of arguments', ['impact', 'one.lock', ''], []],
    ['a word after --', ['why', '--', '-'], []],
    ['too many words', ['verify', 'more', ''], []],
    ['options before the command', ['-q', 'token', 'rev'], ['revoke']],
    ['an unknown command', ['nonsense', ''], []],
    ['an unknown option', ['build', '--unknown', '--str'], ['--strict']],
    ['an optional value', ['package', 'recover-purged', '--dry'], ['--dry-run']],
  ])('%s', async (_, words, expected) => {
    expect(await candidates(...words)).toEqual(expected);
  });

  it('names no hidden command or option', async () => {
    const commands = await candidates('');
    expect(commands).toContain('build');
    expect(commands).not.toContain('artifact');
    expect(commands).not.toContain('complete');
    expect(await candidates('repository', 'sync', '--')).not.toContain('--child');
  });

  it('passes on the finished options, which select the data folder', () => {
    const { flags, operands } = readUnfinished(program, ['-q', 'why', '-d', 'x', '--config=c.json', 'a/b', '']);
    expect(flags).toEqual({ quiet: true, data: 'x', config: 'c.json' });
    expect(operands).toEqual(['a/b']);
  });

  it('offers vendors first where there are many packages', async () => {
    const names = Array.from({ length: 300 }, (_, at) => ({ value: `${at % 2 === 0 ? 'acme' : 'beta'}/p${at}` }));
    const many: ListCandidates = () => Promise.resolve(names);
    const vendors = await complete(readUnfinished(program, ['why', '']), many);
    expect(vendors).toEqual({ mode: 'partial', lead: '', candidates: [{ value: 'acme/' }, { value: 'beta/' }] });
    expect((await complete(readUnfinished(program, ['why', 'acme/p1']), many)).candidates.length).toBeGreaterThan(50);
  });
});
