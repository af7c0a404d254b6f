// Tests the options that advised commands repeat, with the program's own declarations.

import { expect, it } from 'vitest';

import { registryOptions } from '../../../../cli/program/registry-options.ts';
import { createProgram } from '../../../../cli/program/program.ts';
import type { ProcessContext } from '../../../../cli/io/context.ts';

const program = createProgram({} as ProcessContext, () => undefined);
const repeated = (flags: Record<string, unknown>, words: string): string =>
  registryOptions(() => program, flags, '/home/ann')(words);

it('repeats the data folder and the configuration, with absolute paths in quotes', () => {
  const flags = { data: 'my data', config: 'own.json', json: true };
  const both = " --config /home/ann/own.json --data '/home/ann/my data'";
  for (const words of [
    'build',
    'build --forget a',
    'token list',
    'token create --description TEXT',
    'restore --empty --force',
    'restore BACKUP --state-only',
    'settings set limits.read 5',
    'package recover-purged',
    'repository list',
    'rollback --lift',
    'history list',
    'start',
  ])
    expect(repeated(flags, words), words).toBe(both);
});

it('leaves out an option that the command has already, or does not know', () => {
  const flags = { data: '/srv/data', config: '/srv/own.json' };
  expect(repeated(flags, 'build SOURCE --data FOLDER')).toBe(' --config /srv/own.json');
  for (const words of ['build --help', 'token', 'completion bash', 'publish --url ADDRESS', '…'])
    expect(repeated(flags, words), words).toBe('');
});

it('repeats the state, with PASSWORD in place of the password', () => {
  const state = (address: string): string => repeated({ state: address }, 'user create --email EMAIL');
  expect(state('redis://127.0.0.1:6379/1')).toBe(' --state redis://127.0.0.1:6379/1');
  expect(state('rediss://ann:s3:c@ret@redis.acme.example')).toBe(' --state rediss://ann:PASSWORD@redis.acme.example');
  expect(state('redis://:s3cret@10.0.0.1')).toBe(' --state redis://:PASSWORD@10.0.0.1');
  expect(state('redis+sentinel://:p@a:1,b:2/main/0')).toBe(' --state redis+sentinel://:PASSWORD@a:1,b:2/main/0');
});

it('adds nothing to the advice of a command for a remote registry', () =>
  expect(repeated({ data: '/srv/data', url: 'https://packages.example.org' }, 'build')).toBe(''));
