// The port to a forge, with the repositories of one owner: what a refresh asks and does there.

import type { Secret } from '../../../build/shared/text/secret.ts';
import type { OwnerKind } from '../model/forge-name.ts';
import type { ForgeRepository } from '../model/forge-repository.ts';

export interface ListedPage {
  readonly repositories: readonly ForgeRepository[];
  /** for a conditional request of the same page */
  readonly etag: string | undefined;
  /** the query of the next page; undefined: this is the last one */
  readonly next: string | undefined;
}

export type FileAnswer =
  | { readonly outcome: 'read'; readonly text: string }
  | { readonly outcome: 'missing' }
  /** `forbidden`: the credentials may list the repository, and not read its files */
  | { readonly outcome: 'unreadable' | 'forbidden' };

export type HookAnswer =
  | { readonly outcome: 'installed' }
  /** such owners have no hooks here, or the credentials may not manage them */
  | { readonly outcome: 'refused'; readonly message: string };

/** `none`: there is no webhook with this address. */
export type DroppedHook =
  | { readonly outcome: 'removed' | 'none' }
  | { readonly outcome: 'refused'; readonly message: string };

export interface OfferedHook {
  /** the address that the forge calls */
  readonly url: string;
  /** Makes a new secret. Called only if the forge lets us manage webhooks. */
  readonly makeSecret: () => Promise<Secret>;
}

/** Every call throws ForgePause and ForgeRefusal. */
export interface Forge {
  /** undefined: there is no such owner, or the credentials do not see it. */
  readonly findOwner: () => Promise<OwnerKind | undefined>;
  /** `query`: of the page, as the page before named it; undefined: the first. `etag`: of the remembered page. */
  readonly list: (
    kind: OwnerKind,
    query: string | undefined,
    etag: string | undefined,
  ) => Promise<ListedPage | 'unchanged'>;
  /** composer.json of the default branch. `folder`: '' for the root, or `packages/tool/`. */
  readonly composerJson: (repository: ForgeRepository, folder?: string) => Promise<FileAnswer>;
  /** The names of the first hundred folders in a folder of the default branch; none: it cannot be read. */
  readonly folders: (repository: ForgeRepository, folder: string) => Promise<readonly string[]>;
  /** The repository by itself; undefined: it is gone, belongs to another owner, or the credentials do not see it. */
  readonly find: (repository: Pick<ForgeRepository, 'id' | 'path'>) => Promise<ForgeRepository | undefined>;
  /** Installs the webhook, or renews its secret if there is one with this address. `at`: undefined for the owner. */
  readonly putHook: (kind: OwnerKind, at: ForgeRepository | undefined, hook: OfferedHook) => Promise<HookAnswer>;
  /** Removes the owner's webhook with this address. */
  readonly dropOwnerHook: (kind: OwnerKind, url: string) => Promise<DroppedHook>;
}
