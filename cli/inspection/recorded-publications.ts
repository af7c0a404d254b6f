// Reads recorded publications for the server. The record of the first publication can have megabytes: it is parsed in
// pieces, so that requests are answered in between. Summaries stay in memory while their files are unchanged.

import { join } from 'node:path';

import { RegistryError } from '../../build/contract/errors.ts';
import { publicationPath } from '../../build/contract/paths.ts';
import { parsePublication } from '../../build/contract/publication.ts';
import { parseStability } from '../../build/contract/stability.ts';
import { changesIn, summaryOf } from '../../build/history/publication-summary.ts';
import { recordIn, publicationRecordPath, type PublicationRecord } from '../../build/history/record.ts';
import { parseOwnFile } from '../../build/output/parse-own-file.ts';
import { ByteCache } from '../../build/shared/caches/byte-cache.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import { sameStamp, stampFile, type FileStamp } from '../../build/shared/files/file-stamp.ts';
import { readWhole } from '../../build/shared/files/read-whole.ts';
import { parseJsonYielding } from '../../build/shared/json/incremental-json.ts';
import { shownLines } from '../builds/shown-sources.ts';
import {
  mostNames,
  type PublicationPage,
  type Publications,
  type RecordedPublication,
} from '../../proxy/inspection/publications.ts';
import { parsePublished, type PublishedFiles } from '../../proxy/core/tree/published-files.ts';

interface CachedSummary {
  readonly stamp: FileStamp;
  readonly summary: RecordedPublication;
}

const cacheBytes = 4 * 1024 * 1024;
const summaryBytes = 1400;

/** `dataDirectory`: with the folder `build/`, where builds run. */
export function createRecordedPublications(dataDirectory: string, published: PublishedFiles): Publications {
  const records = new Records(dataDirectory);
  return {
    list: async ({ before, limit }) => {
      const start = before === undefined ? await presentSerial(published) : (await records.summarize(before))?.previous;
      return pageFrom(records, start ?? 0, limit);
    },
    held: async () => {
      const path = `index/${publicationPath}`;
      return (await parsePublished(published, path, (text) => [...(parsePublication(text).undone ?? [])])).length;
    },
    get: async (serial, { from = 0, limit }) => {
      // a record above the announced serial belongs to a publication that was interrupted
      const record = serial > (await presentSerial(published)) ? undefined : await records.read(serial);
      if (record === undefined)
        throw new RegistryError('NOT_FOUND', {
          message: `Publication ${serial} is not recorded. Only the newest publications stay recorded.`,
        });
      const end = from + limit;
      const shown = shownLines(dataDirectory);
      return {
        ...summarize(record),
        packages: changesIn(record, record.packages.slice(from, end)).map((change) => ({
          name: change.name,
          added: shown(change.added),
          changed: shown(change.changed),
          withdrawn: shown(change.withdrawn),
        })),
        next: end < record.packages.length ? end : null,
      };
    },
  };
}

/** `start`: serial of the first publication; each names the one before it. */
async function pageFrom(records: Records, start: number, limit: number): Promise<PublicationPage> {
  const publications: RecordedPublication[] = [];
  for (let serial = start; serial > 0;) {
    if (publications.length === limit)
      return { publications, next: records.has(serial) ? (publications.at(-1)?.serial ?? null) : null };
    const summary = await records.summarize(serial);
    if (summary === undefined) break;
    publications.push(summary);
    serial = summary.previous;
  }
  return { publications, next: null };
}

class Records {
  readonly #dataDirectory: string;
  readonly #cache = new ByteCache<CachedSummary>(cacheBytes);
  readonly #reading = new SingleFlight<PublicationRecord | undefined, number>();

  constructor(dataDirectory: string) {
    this.#dataDirectory = dataDirectory;
  }

  has(serial: number): boolean {
    return stampFile(this.#pathOf(serial)) !== undefined;
  }

  /** undefined: there is no record, or it is damaged. */
  read(serial: number): Promise<PublicationRecord | undefined> {
    return this.#reading.run(serial, () => readRecord(this.#pathOf(serial), serial));
  }

  async summarize(serial: number): Promise<RecordedPublication | undefined> {
    const path = this.#pathOf(serial);
    const stamp = stampFile(path);
    const known = this.#cache.get(path);
    if (known !== undefined && sameStamp(known.stamp, stamp)) return known.summary;
    const record = await this.read(serial);
    if (record === undefined || stamp === undefined) return undefined;
    const summary = summarize(record);
    this.#cache.set(path, { stamp, summary }, summaryBytes);
    return summary;
  }

  #pathOf(serial: number): string {
    return join(this.#dataDirectory, 'build', publicationRecordPath(serial));
  }
}

function summarize(record: PublicationRecord): RecordedPublication {
  const first = record.packages.slice(0, mostNames);
  const releasesIn = (kind: 'added' | 'withdrawn'): readonly string[] =>
    first
      .flatMap(({ name, ...change }) => change[kind].map(({ version }) => ({ name, version })))
      .filter(({ version }) => parseStability(version) !== 'dev')
      .slice(0, mostNames)
      .map(({ name, version }) => `${name} ${version}`);
  return {
    ...summaryOf(record),
    names: first.map(({ name }) => name),
    released: releasesIn('added'),
    recalled: releasesIn('withdrawn'),
  };
}

/** 0: nothing is published. */
async function presentSerial(published: PublishedFiles): Promise<number> {
  const [serial] = await parsePublished(published, `index/${publicationPath}`, (text) => [
    parsePublication(text).serial,
  ]);
  return serial ?? 0;
}

/** undefined: there is no record, or it is damaged. Throws BuildRefused for a record of a newer Libretto. */
async function readRecord(path: string, serial: number): Promise<PublicationRecord | undefined> {
  const file = await readWhole(path);
  if (file === undefined) return undefined;
  const json = await parseJsonYielding(file.bytes).catch((error: unknown) =>
    error instanceof SyntaxError ? undefined : Promise.reject(error),
  );
  const record = parseOwnFile(`build/${publicationRecordPath(serial)}`, () => recordIn(json));
  return record?.serial === serial ? record : undefined;
}
