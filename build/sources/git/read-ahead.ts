// Prefetches the folders of versions before their listing. A listing requests a folder, then its folders, then theirs;
// one request at a time would leave git and Libretto waiting for each other. It serves only new versions, whose files a
// build certainly lists.

import { QuarantineError } from '../../contract/quarantine.ts';
import { GitFailure } from '../git-failure.ts';
import type { ObjectStore } from './object-store.ts';

/** Versions ahead, and as many behind: a build may go either way. */
const reach = 8;

export class ReadAhead {
  readonly #store: ObjectStore;
  readonly #commits: readonly string[];
  readonly #started = new Set<string>();

  /** `commits`: of the versions to be listed, in the order of the versions. */
  constructor(store: ObjectStore, commits: readonly string[]) {
    this.#store = store;
    this.#commits = commits;
  }

  /** Starts reading around this commit, if it is one of them. */
  around(commit: string): void {
    const place = this.#commits.indexOf(commit);
    if (place === -1) return;
    for (const near of this.#commits.slice(Math.max(0, place - reach), place + reach + 1)) {
      if (!this.#started.has(near)) void this.#start(near);
    }
  }

  async #start(commit: string): Promise<void> {
    this.#started.add(commit);
    try {
      await this.#readFolder((await this.#store.commit(commit)).tree);
    } catch (error) {
      // The later reader of this version gets the same error, and reports it.
      if (!(error instanceof QuarantineError) && !(error instanceof GitFailure)) throw error;
    }
  }

  /** Each distinct folder is read once, so that a tree with repeated folders costs no extra work. */
  async #readFolder(oid: string): Promise<void> {
    if (this.#started.has(oid)) return;
    this.#started.add(oid);
    const entries = await this.#store.tree(oid);
    await Promise.all(entries.map((entry) => (entry.kind === 'tree' ? this.#readFolder(entry.oid) : undefined)));
  }
}
