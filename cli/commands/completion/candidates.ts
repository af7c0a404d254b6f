// The candidates for the last word of an unfinished command line. The program's declarations give commands, options and
// their choices; a reader gives what a registry has.

import type { Argument, Command, Option } from 'commander';

import { featureNames } from '../../config/feature-settings.ts';
import type { Expected, Unfinished } from './command-line.ts';
import { shells } from './shells.ts';

export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
}

/** The things of a registry that a word may name. */
export type RegistryList =
  | 'packages'
  | 'versions'
  | 'tokens'
  | 'repositories'
  | 'users'
  | 'sources'
  | 'serials'
  | 'endpoints'
  | 'publishers'
  | 'teams';
/** Lists of this program whose modules are loaded only for them. */
export type ProgramList = 'settings' | 'stabilities' | 'reasons' | 'purposes' | 'events' | 'forms';
export type CompletionList = RegistryList | ProgramList;
export type ListCandidates = (things: CompletionList, line: Unfinished) => Promise<readonly Candidate[]>;

export interface Completion {
  /**
   * `files` and `folders`: the shell completes names of the disk. `partial`: the candidates are beginnings, so that no
   * space follows.
   */
  readonly mode: 'plain' | 'partial' | 'files' | 'folders';
  /** for `files` and `folders`: the part of the last word before the name, such as `--data=` */
  readonly lead?: string;
  readonly candidates: readonly Candidate[];
}

type Values = readonly string[] | { readonly things: CompletionList } | 'files' | 'folders';

/** By the name of an argument, or by the placeholder of an option's value. */
const valuesByName: Readonly<Record<string, Values>> = {
  directory: 'folders',
  tree: 'folders',
  file: 'files',
  path: 'files',
  lock: 'files',
  source: 'files',
  package: { things: 'packages' },
  pattern: { things: 'packages' },
  'pattern[:constraint]': { things: 'packages' },
  version: { things: 'versions' },
  serial: { things: 'serials' },
  user: { things: 'users' },
  team: { things: 'teams' },
  stability: { things: 'stabilities' },
  reason: { things: 'reasons' },
  purpose: { things: 'purposes' },
  type: { things: 'events' },
  form: { things: 'forms' },
  'token-id': { things: 'tokens' },
  'publisher-id': { things: 'publishers' },
  setting: { things: 'settings' },
  names: featureNames,
  shell: shells,
};
/** By the name of the command above the command. */
const idsByParent: Readonly<Record<string, CompletionList>> = {
  token: 'tokens',
  repository: 'repositories',
  notify: 'endpoints',
  publisher: 'publishers',
};
/** Placeholders that stand for any value, among alternatives such as `n|default`. */
const anyValue = new Set(['n', 'when']);
/** Above this number of packages, the vendors come first. */
const mostPackages = 100;

/** Every candidate begins with the last word. */
export async function complete(line: Unfinished, read: ListCandidates): Promise<Completion> {
  const found = await candidatesOf(line, read);
  const candidates = found.candidates
    .filter(({ value }) => value.startsWith(line.word))
    .map(({ value, description }) => ({ value: line.lead + value, description }));
  return { ...found, lead: line.lead, candidates };
}

async function candidatesOf(line: Unfinished, read: ListCandidates): Promise<Completion> {
  const { expected } = line;
  if (expected.kind === 'nothing') return { mode: 'plain', candidates: [] };
  if (expected.kind === 'command') return { mode: 'plain', candidates: commandsOf(expected.command) };
  if (expected.kind === 'option') return { mode: 'plain', candidates: optionsOf(expected) };
  const values = valuesOf(expected);
  if (values === 'files' || values === 'folders') return { mode: values, candidates: [] };
  if (!('things' in values)) return { mode: 'plain', candidates: values.map((value) => ({ value })) };
  const candidates = await read(values.things, line);
  return values.things === 'packages' ? packagesFrom(candidates, line.word) : { mode: 'plain', candidates };
}

function commandsOf(command: Command): readonly Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((child) => ({ value: child.name(), description: child.summary() || child.description() }));
}

/** The options of a command that are not given yet, unless they may be given again. */
function optionsOf({ command, given }: Extract<Expected, { kind: 'option' }>): readonly Candidate[] {
  const help = command.createHelp();
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
    .filter((option) => option.variadic || option.parseArg !== undefined || !given.has(option.attributeName()))
    .map(({ long, short, description }) => ({ value: long ?? short ?? '', description }));
}

function valuesOf({ command, of }: { readonly command: Command; readonly of: Option | Argument }): Values {
  if (of.argChoices !== undefined) return of.argChoices;
  // a repository may be a folder
  if (!('flags' in of)) return of.name() === 'url' ? 'folders' : named(of.name(), command);
  if (of.long === '--forget') return { things: 'sources' };
  const placeholder = /[<[](.+)[>\]]$/.exec(of.flags)?.[1]?.replace('...', '') ?? '';
  if (placeholder.includes('|')) return placeholder.split('|').filter((word) => !anyValue.has(word));
  if (placeholder === 'name' && of.variadic) return { things: 'packages' };
  return placeholder === 'version' ? [] : named(placeholder, command);
}

function named(name: string, command: Command): Values {
  const things = idsByParent[command.parent?.name() ?? ''];
  if (name === 'id' && things !== undefined) return { things };
  return valuesByName[name] ?? [];
}

/** Of many packages, a word without a vendor gets the vendors: `acme/`. */
function packagesFrom(packages: readonly Candidate[], word: string): Completion {
  const matching = packages.filter(({ value }) => value.startsWith(word));
  if (word.includes('/') || matching.length <= mostPackages) return { mode: 'plain', candidates: matching };
  const vendors = new Set(matching.map(({ value }) => `${value.split('/', 1)[0]}/`));
  return { mode: 'partial', candidates: [...vendors].map((value) => ({ value })) };
}
