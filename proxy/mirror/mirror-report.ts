// The mirror for people: which registries it asks, what it keeps of them, what it holds back, and its alarms. Sends no
// request.

import type { PackageName } from '../../build/contract/name.ts';
import type { ArchiveRecord } from './archives/archive-record.ts';
import { readRefusals } from './archives/refused-archives.ts';
import type { Mirror } from './mirror.ts';
import type { MirroredCatalogue } from './mirrored-catalogue.ts';
import type { RecentAlarms } from './recent-alarms.ts';

export interface MirrorRegistry {
  readonly id: string;
  /** without credentials */
  readonly url: string;
  /** patterns; empty: all packages */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** the reason why it is not asked; undefined: it is */
  readonly problem: string | undefined;
}

export interface StoredArchives {
  /** newest first */
  readonly records: readonly ArchiveRecord[];
  /** records that cannot be read */
  readonly unreadable: number;
  /** `VERSION: reason` of each archive that was refused when it was last fetched */
  readonly refused: readonly string[];
}

export type MirrorReport = ReturnType<typeof createMirrorReport>;

export interface MirrorReportParts {
  readonly mirror: Pick<Mirror, 'settings' | 'problems' | 'archiveStore'>;
  readonly catalogue: Pick<MirroredCatalogue, 'stored' | 'storedOne' | 'firstReading'>;
  readonly alarms: Pick<RecentAlarms, 'list'>;
}

export function createMirrorReport({ mirror, catalogue, alarms }: MirrorReportParts) {
  return {
    /** In the order of requests; empty: mirroring is off. */
    registries: async (): Promise<readonly MirrorRegistry[]> => {
      const [{ compiled }, problems] = await Promise.all([mirror.settings(), mirror.problems()]);
      return compiled.rules.upstreams.map(({ id, url, allow, deny }) => ({
        id,
        url,
        allow,
        deny,
        problem: problems.find(({ upstream }) => upstream === id)?.message,
      }));
    },
    /** By name. */
    packages: catalogue.stored,
    firstReading: catalogue.firstReading,
    /** undefined: nothing of the name is stored. */
    packageOf: catalogue.storedOne,
    archives: async (name: PackageName): Promise<StoredArchives> => {
      const { records, unreadable } = await mirror.archiveStore.inspect(name);
      const newestFirst = records.toSorted((one, other) => (one.fetchedAt < other.fetchedAt ? 1 : -1));
      const refused = await readRefusals(mirror.archiveStore.folder, name);
      return { records: newestFirst, unreadable: unreadable.length, refused };
    },
    /** Newest first, since this process started. */
    alarms: alarms.list,
  };
}
