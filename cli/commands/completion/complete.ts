// `libretto complete -- WORDS`: prints the candidates for the last word, for the scripts of `libretto completion`. The
// first line is the mode; for names of the disk, a tab follows, and the part of the word before the name. Each other
// line is a candidate, a tab, and its description. Never fails: a shell would show the message in the middle of the
// user's line.

import type { Command } from 'commander';

import type { CommandInput } from '../../io/command.ts';
import type { Context } from '../../io/context.ts';
import { printable } from '../../io/output.ts';
import { complete, type Completion, type ProgramList, type ListCandidates, type CompletionList } from './candidates.ts';
import { readUnfinished } from './command-line.ts';

/** A state in an unreachable Redis would keep the shell waiting. */
const timeoutMs = 3000;

const nothing: Completion = { mode: 'plain', candidates: [] };

/** Each is loaded when a line asks for it: most lines ask for a command or an option. */
const lists: Readonly<Record<ProgramList, () => Promise<readonly string[]>>> = {
  settings: async () => (await import('../../../proxy/settings/definitions.ts')).settingKeys,
  stabilities: async () => (await import('../../../proxy/core/views/token-limits.ts')).stabilities,
  reasons: async () => (await import('../../../build/contract/purged.ts')).purgeReasons,
  events: async () => (await import('../../../proxy/events/registry-event.ts')).eventTypes,
  forms: async () => (await import('../../../proxy/notifications/model/endpoint.ts')).endpointForms,
  purposes: async () => (await import('../../../proxy/keys/key-file.ts')).keyPurposes,
};

export async function runComplete(program: Command, context: Context, { operands }: CommandInput): Promise<number> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Completion>((resolve) => {
    timer = setTimeout(() => resolve(nothing), timeoutMs);
  });
  const found = await Promise.race([
    complete(readUnfinished(program, operands), readThingsWith(context)).catch(() => nothing),
    late,
  ]);
  clearTimeout(timer);
  const namesOfDisk = found.mode === 'files' || found.mode === 'folders';
  context.stdout.write(`${found.mode}${namesOfDisk && found.lead ? `\t${found.lead}` : ''}\n`);
  for (const { value, description = '' } of found.candidates)
    context.stdout.write(`${oneLine(value)}\t${oneLine(description)}\n`);
  return 0;
}

function readThingsWith(context: Context): ListCandidates {
  return async (things, line) => {
    if (isProgramList(things)) return (await lists[things]()).map((value) => ({ value }));
    const { readRegistryThings } = await import('./registry-things.ts');
    return readRegistryThings(things, line, context);
  };
}

function isProgramList(things: CompletionList): things is ProgramList {
  return things in lists;
}

function oneLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' '));
}
