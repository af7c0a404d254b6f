// Checks the values of options that name a file or a folder. `--data $FOLDER --quiet` with an empty variable would
// otherwise make a folder named `--quiet`.

import type { Command, Option } from 'commander';

import { UsageError } from '../io/usage-error.ts';

const things: Readonly<Record<string, 'file' | 'folder'>> = { directory: 'folder', file: 'file' };

/** `flags`: the values of the command and of those above it. Throws UsageError. */
export function refuseImpossiblePaths(command: Command, flags: Readonly<Record<string, unknown>>): void {
  for (let one: Command | null = command; one !== null; one = one.parent)
    for (const option of one.options) refuseImpossiblePath(option, flags[option.attributeName()]);
}

function refuseImpossiblePath({ flags, long, short }: Option, value: unknown): void {
  const thing = things[/<(.+)>$/.exec(flags)?.[1] ?? ''];
  const name = long ?? short ?? flags;
  if (thing === undefined || typeof value !== 'string') return;
  if (value === '')
    throw new UsageError(`${name} has an empty value. Write the path of a ${thing}; a variable may have no value.`);
  // a dash alone is standard input or output
  if (/^-./s.test(value))
    throw new UsageError(
      `${name} is followed by ${value}, which looks like an option. Write the path of a ${thing} after ${name}; ` +
        `write ./${value} for a ${thing} of that name.`,
    );
}
