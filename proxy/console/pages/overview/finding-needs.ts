// What `libretto doctor` found, as people need it: what is wrong in a title, names instead of ids, and the page where it
// is repaired. Pure.

import type { HealthFinding } from '../../../inspection/health.ts';
import type { RepositoryDocument } from '../../../sync/repository-schema.ts';
import { withCapital } from '../../components/page-words.ts';
import { repositoryName } from '../source-names.ts';

export interface Need {
  readonly kind: 'bad' | 'warn';
  readonly title: string;
  /** the reason, or the repair */
  readonly detail: string;
  /** the page where it is repaired; undefined: the visitor may not open it */
  readonly to?: string;
  /** of the page “Status”; default: that of `to` */
  readonly area?: 'Sources';
}

/** The first part of a check's name → what it is about, and where it is repaired. null: another need has it. */
const subjects: Readonly<Record<string, readonly [title: string, to: string] | null>> = {
  disk: null,
  connection: null,
  notification: null,
  build: null,
  files: ['Files of packages', '/packages'],
  tree: ['Published files', '/packages'],
  hook: ['Webhooks', '/repositories/hook'],
  uploads: ['Uploads', '/uploads'],
  policy: ['Policy', '/policy'],
  upstream: ['Other registries', '/mirror'],
  publisher: ['Trusted publishers', '/publishers'],
  data: ['Data folder', '/health'],
  url: ['Address of the registry', '/health'],
};

export function findingNeeds(
  findings: readonly HealthFinding[],
  repositories: readonly RepositoryDocument[],
): readonly Need[] {
  const names = new Map(repositories.map((repository) => [repository.id, repositoryName(repository)]));
  return findings.flatMap(({ check, verdict, message, advice }) => {
    const [first = check] = check.split('.');
    const subject = subjects[first];
    if (subject === null || (verdict !== 'failed' && verdict !== 'warning')) return [];
    const [title, to] =
      check === 'policy.feed' ? ['Advisory feeds', '/policy/feeds'] : (subject ?? [`The check “${first}”`, '/health']);
    const kind = verdict === 'failed' ? 'bad' : 'warn';
    const detail = [message, advice ?? '']
      .map((text) => withCapital(inWords(text, names)).replace(/\.?$/, '.'))
      .join(' ');
    return [{ kind, title: `${title}: ${kind === 'bad' ? 'a check failed' : 'a check warns'}`, detail, to }];
  });
}

const codes: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  ECONNREFUSED: 'nothing answers at this address',
  ETIMEDOUT: 'there was no answer in time',
};

/** Names of repositories instead of their ids, and a sentence instead of the code of an error. */
export function inWords(text: string, names: ReadonlyMap<string, string>): string {
  return text
    .replaceAll(/(?:upstream-)?(repo_\w+)/g, (id, repository: string) => names.get(repository) ?? id)
    .replaceAll(/(?:(?:getaddrinfo|connect) )?\b(E[A-Z_]{5,})\b/g, (all, code: string) =>
      codes[code] === undefined ? all : `${codes[code]}:`,
    );
}
