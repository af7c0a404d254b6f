// What a refresh did, or found, with one repository: for people, in the order of the list.

import type { RepositoryId } from '../../sync/repository.ts';
import type { SkipReason } from '../model/forge-repository.ts';

export type RefreshStep =
  /** `package`: the name in its composer.json */
  | { readonly step: 'registered'; readonly path: string; readonly package: string; readonly repository: RepositoryId }
  | { readonly step: 'renamed'; readonly path: string; readonly from: string; readonly repository: RepositoryId }
  /** it stays registered and published until a person removes it; `returned`: it was archived or missing before */
  | {
      readonly step: 'archived' | 'removed' | 'returned';
      readonly path: string;
      readonly repository: RepositoryId;
    }
  | { readonly step: 'skipped'; readonly path: string; readonly reason: SkipReason };
