// Tests that docs/reference/cli/ has a page for each word behind `libretto`, which describes its commands as the program
// does. `vitest -u` writes the pages and the list of them in cli.md.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { addCommands, createProgram } from '../../../../cli/program/program.ts';
import type { Context } from '../../../../cli/io/context.ts';
import { describeCommand, listCommands, renewIndex, renewReference } from '../../../util/command-reference.ts';

const folder = new URL('../../../../docs/reference/', import.meta.url).pathname;

let printed = '';
const stdout = { write: (text: string) => (printed += text) };
const program = createProgram({ stdout } as unknown as Context, () => undefined);
const commands = listCommands(program).map(({ path, command }) => {
  printed = '';
  command.outputHelp();
  return { path, command, help: printed };
});

describe('the reference of the command line', () => {
  it.each(commands)(
    'the command libretto $path has a summary, a description and an example',
    ({ path, command, help }) => {
      expect(command.summary()).toMatch(/^[a-z].*[^.]$/);
      expect(command.description()).toMatch(/^[A-Z].*\.$/s);
      expect(help).toMatch(new RegExp(`Examples?:\\n(?: {2}.*\\n)*? {2}.*libretto ${path}`));
    },
  );

  const nouns = [...new Set(commands.map(({ path }) => path.split(' ', 1)[0] ?? ''))];
  it.each(nouns)('equals cli/%s.md', async (noun) => {
    const file = `${folder}cli/${noun}.md`;
    const described = commands
      .filter(({ path }) => path === noun || path.startsWith(`${noun} `))
      .map(({ path, command, help }) => ({ path, text: describeCommand(path, command, help) }));
    const page = existsSync(file) ? readFileSync(file, 'utf8') : '';
    await expect(renewReference(page, described)).toMatchFileSnapshot(file);
  });

  it.each(nouns)('a command line that begins with %s declares this command as the whole program does', (noun) => {
    const alone = createProgram(
      { stdout } as unknown as Context,
      () => undefined,
      (one, wire) => addCommands(one, wire, noun),
    );
    const helpOf = (one: typeof program): string[] =>
      listCommands(one)
        .filter(({ path }) => path === noun || path.startsWith(`${noun} `))
        .map(({ command }) => command.helpInformation());
    expect(helpOf(alone)).toEqual(helpOf(program));
  });

  it('has a page for each command and no other, and cli.md lists them', async () => {
    expect(readdirSync(`${folder}cli`).toSorted()).toEqual(nouns.map((noun) => `${noun}.md`).toSorted());
    await expect(renewIndex(readFileSync(`${folder}cli.md`, 'utf8'), program)).toMatchFileSnapshot(`${folder}cli.md`);
  });

  it('inserts a new command at its place, keeps hand-written text, and names removed commands', () => {
    const first = renewReference('# All\n\nHello.\n', [
      { path: 'a', text: 'A' },
      { path: 'a b', text: 'AB' },
      { path: 'c', text: 'C' },
    ]);
    const [block, inner] = [
      '<!-- libretto a, from the program -->\nA\n<!-- by hand -->',
      '<!-- libretto a b, from the program -->\nAB\n<!-- by hand -->',
    ];
    expect(first).toBe(
      `# All\n\nHello.\n\n# libretto a\n\n${block}\n\n## libretto a b\n\n${inner}\n\n# libretto c\n\n<!-- libretto c, from the program -->\nC\n<!-- by hand -->\n`,
    );
    const written = first.replace(`${inner}\n`, `${inner}\n\nMore of it.\n`);
    const second = renewReference(written, [
      { path: 'a', text: 'changed' },
      { path: 'a b', text: 'AB' },
      { path: 'a d', text: 'AD' },
      { path: 'c', text: 'C' },
    ]);
    expect(second).toContain(
      'More of it.\n\n## libretto a d\n\n<!-- libretto a d, from the program -->\nAD\n<!-- by hand -->\n\n# libretto c',
    );
    expect(second).toContain('from the program -->\nchanged\n');
    expect(
      renewReference(second, [
        { path: 'a', text: 'changed' },
        { path: 'a b', text: 'AB' },
        { path: 'a d', text: 'AD' },
        { path: 'c', text: 'C' },
      ]),
    ).toBe(second);
    expect(renewReference('# All\n\n# libretto a\n\nBy hand.\n', [{ path: 'a', text: 'A' }])).toBe(
      `# All\n\n# libretto a\n\n${block}\n\nBy hand.\n`,
    );
    expect(() => renewReference(first, [{ path: 'a', text: 'A' }])).toThrow('a b, c');
  });
});
