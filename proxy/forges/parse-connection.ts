// Parses what a person gives for a connection: address, owner, patterns, intervals, credentials. Every fault is named,
// with its field.

import { invalidInput, type FieldFault } from '../../build/contract/errors.ts';
import { folderGrammar } from '../../build/shared/patterns/package-pattern.ts';
import { credentialsFault, type ConnectionCredentials } from './model/credentials.ts';
import { forgeAddresses, type ForgeAddresses } from './model/forge-address.ts';
import { forgeTitles, parseOwner, type ForgeName, type OwnerName } from './model/forge-name.ts';

/** What can be changed later. Missing fields have their default, or stay unchanged. */
export interface ConnectionFields {
  /** patterns of names below the owner; `*` matches any characters */
  readonly only?: readonly string[] | undefined;
  readonly except?: readonly string[] | undefined;
  readonly forks?: boolean | undefined;
  readonly hooks?: boolean | undefined;
  /** patterns of the folders that are packages; null: no repository is a monorepo */
  readonly subdirectories?: readonly string[] | null | undefined;
  /** seconds between two looks at the forge's list */
  readonly interval?: number | undefined;
  /** seconds between two automatic syncs of each repository that is registered from now on */
  readonly sync_interval?: number | undefined;
  readonly credentials?: ConnectionCredentials | undefined;
}

export interface ConnectionDraft extends ConnectionFields {
  readonly forge: ForgeName;
  /** the address in a browser; undefined: the public service */
  readonly url?: string | undefined;
  readonly owner: string;
  readonly credentials: ConnectionCredentials;
}

export const defaultFields = {
  only: [],
  except: [],
  forks: false,
  hooks: false,
  subdirectories: null,
  interval: 3600,
  sync_interval: 43_200,
};

export interface ParsedPlace extends ForgeAddresses {
  readonly owner: OwnerName;
}

/** Throws INVALID_INPUT with every fault. */
export function parseDraft(draft: ConnectionDraft): ParsedPlace {
  const { forge, url, owner: text } = draft;
  const addresses = forgeAddresses(forge, url);
  const owner = parseOwner(forge, text);
  const issues = [
    ...('refusal' in addresses ? [{ path: 'url', message: addresses.refusal }] : []),
    ...(owner === undefined ? [{ path: 'owner', message: `is no name of an owner on ${forgeTitles[forge]}` }] : []),
    ...issuesOf(draft, forge),
  ];
  if (issues.length > 0 || 'refusal' in addresses || owner === undefined) throw invalidInput(...issues);
  return { ...addresses, owner };
}

/** Throws INVALID_INPUT with every fault. */
export function checkFields(fields: ConnectionFields, forge: ForgeName): void {
  const issues = issuesOf(fields, forge);
  if (issues.length > 0) throw invalidInput(...issues);
}

const folderPattern = new RegExp(folderGrammar);
const pattern = /^[A-Za-z0-9_.*-][A-Za-z0-9_.*/-]{0,200}$/;
const [shortest, longest] = [60, 366 * 86_400];

function issuesOf(fields: ConnectionFields, forge: ForgeName): readonly FieldFault[] {
  const { only = [], except = [], subdirectories, interval, sync_interval: syncInterval, credentials } = fields;
  const given = { only, except, subdirectories: subdirectories ?? [] };
  const patterns = Object.entries(given).flatMap(([path, texts]) =>
    texts
      .filter((text) => !(path === 'subdirectories' ? folderPattern : pattern).test(text))
      .map((text) => ({ path, message: `${JSON.stringify(text)} is no pattern` })),
  );
  const spans = Object.entries({ interval, sync_interval: syncInterval }).flatMap(([path, span]) =>
    span === undefined || (Number.isSafeInteger(span) && span >= shortest && span <= longest)
      ? []
      : [{ path, message: `must be between ${shortest} and ${longest} seconds` }],
  );
  return [...patterns, ...spans, ...credentialsIssues(credentials, forge)];
}

function credentialsIssues(credentials: ConnectionCredentials | undefined, forge: ForgeName): readonly FieldFault[] {
  if (credentials === undefined) return [];
  const fault =
    credentials.kind === 'app' && forge !== 'github'
      ? 'an App is for GitHub; give a token'
      : credentials.kind === 'token' && credentials.user !== undefined && forge !== 'bitbucket'
        ? 'a user is for an API token of Bitbucket; give the token alone'
        : credentialsFault(credentials);
  return fault === undefined ? [] : [{ path: 'credentials', message: fault }];
}
