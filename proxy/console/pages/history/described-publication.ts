// A publication with the words for how it came about.

import type { RecordedPublication } from '../../../inspection/publications.ts';
import type { StateStore } from '../../../core/state/state-store.ts';
import type { PageRequest } from '../../frame/definitions.ts';
import { readActorNames } from '../name-actor.ts';

export interface DescribedPublication extends RecordedPublication {
  /** `by root, with build`; empty if nobody recorded it */
  readonly author: string;
}

/** Nobody types the command that follows a removal. */
function wayOf(command: string): string {
  return command === 'repository withdraw' ? 'after the removal of a repository' : `with ${command}`;
}

export async function describePublications(
  state: Pick<StateStore, 'get'>,
  publications: readonly RecordedPublication[],
  request: Pick<PageRequest, 'caller' | 'may'>,
): Promise<readonly DescribedPublication[]> {
  const actors = publications.flatMap(({ by }) => (by === null ? [] : [by.actor]));
  const nameOf = await readActorNames(state, actors, request);
  return publications.map((publication) => {
    const { by } = publication;
    // the command says that somebody was on the command line
    const author = by === null ? '' : `by ${nameOf(by.actor).replace(' (command line)', '')}, ${wayOf(by.command)}`;
    return { ...publication, author };
  });
}
