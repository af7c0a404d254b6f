// A catalogue that could not be written after a publication is a problem to report, and no failure of the command: the
// packages are published.

import { BuildBusy } from '../../build/contract/refusals.ts';
import { StorageError } from '../../build/output/storage-error.ts';
import { UnusableFile } from '../../build/shared/files/unusable-file.ts';
import { UsageError } from '../io/usage-error.ts';
import type { SiteReport } from './write-site.ts';

export type SiteAttempt = { readonly site: SiteReport | undefined } | { readonly problem: string };

const expected = [UsageError, UnusableFile, StorageError, BuildBusy];

export async function orProblem(write: () => Promise<SiteReport | undefined>): Promise<SiteAttempt> {
  try {
    return { site: await write() };
  } catch (error) {
    if (!(error instanceof Error) || !expected.some((kind) => error instanceof kind)) throw error;
    return { problem: `The packages are published, but the catalogue is not up to date: ${error.message}` };
  }
}
