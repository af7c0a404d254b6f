// The composition root of what pages show of the published versions, and that otherwise only commands know.

import { join } from 'node:path';
import { createContents } from '../../proxy/contents/contents.ts';
import { createHealth } from '../../proxy/inspection/health.ts';
import { createImpactReader } from '../../proxy/inspection/impact.ts';
import type { Inspection } from '../../proxy/inspection/inspection.ts';
import { createQuestions } from '../../proxy/inspection/questions.ts';
import { createRollbacks } from '../../proxy/inspection/rollbacks.ts';
import { stagedSource } from '../../proxy/contents/contents.ts';
import { mirrorSource } from '../../proxy/mirror/archives/accepted-package.ts';
import type { Catalogue } from '../../proxy/packages/catalogue.ts';
import { createWorkerThread } from '../../proxy/packages/worker-thread.ts';
import { createAuditedStore } from '../../proxy/state/audit.ts';
import type { StateStore } from '../../proxy/core/state/state-store.ts';
import type { BuildRunner } from '../../proxy/sync/build-runner.ts';
import type { PublishedFiles } from '../../proxy/core/tree/published-files.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { outputStore } from '../data-folder/output-store.ts';
import { createRecordedPublications } from './recorded-publications.ts';
import { RegistryError } from '../../build/contract/errors.ts';
import { BuildRefused } from '../../build/contract/refusals.ts';
import { explain } from '../../build/inspect/why.ts';
import { contentKey } from '../../build/contract/withdrawal-cause.ts';
import { readWithdrawalCauses } from '../../build/inspect/withdrawal-causes.ts';
import { describeSources } from '../../build/scan/configured.ts';
import type { WhyReader } from '../../proxy/inspection/why-reader.ts';
import { shownAnswer, shownCause } from '../builds/shown-sources.ts';
import { sourcesOfConfig } from '../builds/build-request.ts';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { objectKeyOf, type ListedPath } from '../../build/contract/store-listing.ts';
import { AbsentArchives } from '../../build/output/absent-archives.ts';
import { inspectedFolder } from '../../build/listing/working-copy-files.ts';
import { SingleFlight } from '../../build/shared/concurrency/single-flight.ts';
import type { OpenableStore } from '../../build/store/object-store.ts';

/** Two archives of 100,000 files. */
const contentsMegabytes = 256;

export interface ComposedInspection extends Inspection {
  /** Ends the running commands. */
  readonly close: () => Promise<void>;
}

export interface InspectionParts {
  readonly published: PublishedFiles;
  readonly catalogue: Catalogue;
  readonly state: StateStore;
  /** runs this program in a separate process */
  readonly runner: BuildRunner;
  /** runs it with all settings of the server (server-environment.ts) */
  readonly doctor: BuildRunner;
  /** receives the error of a file of an archive that is not shown */
  readonly onUnseen: (error: unknown) => void;
  /** the module contents-worker as Node itself can load it; default: beside this program */
  readonly worker?: string;
}

export function composeInspection(
  config: Config,
  context: Pick<Context, 'workingDirectory' | 'now' | 'environment'>,
  { published, catalogue, state, runner, doctor, onUnseen, worker }: InspectionParts,
): ComposedInspection {
  const now = (): number => context.now().getTime();
  const [questions, diagnoses] = [createQuestions({ runner }), createQuestions({ runner: doctor })];
  const anywhere = {
    impact: createImpactReader({ published, catalogue, now }),
    health: createHealth(diagnoses, now),
    close: async () => {
      await Promise.all([questions.close(), diagnoses.close()]);
    },
  };
  if (config.origin.value !== undefined) return { ...anywhere, ...withoutBuilder };
  const dataDirectory = config.data.value;
  const store = createAuditedStore({ store: state, now });
  const output = outputStore(config, context);
  const fetched = output === undefined ? undefined : createFetchedArchives(dataDirectory, output);
  return {
    ...anywhere,
    publications: createRecordedPublications(dataDirectory, published),
    why: createWhyReader(config, context),
    contents: createContents({
      published,
      fileOf: ({ path, source }) => {
        if (source === stagedSource) return join(dataDirectory, path);
        if (source === mirrorSource) return join(dataDirectory, 'mirror', path);
        return fetched === undefined ? join(dataDirectory, 'public', path) : fetched(path);
      },
      run: createWorkerThread(worker ?? new URL('./contents-worker.js', import.meta.url), onUnseen, contentsMegabytes),
      now,
      onUnseen,
    }),
    rollbacksOf: (actor) => createRollbacks({ questions, runner, store, actor }),
  };
}

// Explains versions for the server, as `libretto why` does: reads five small files of the data folder.

function createWhyReader(config: Config, { workingDirectory }: Pick<Context, 'workingDirectory'>): WhyReader {
  const dataDirectory = config.data.value;
  const described = describeSources(sourcesOfConfig(config) ?? [], workingDirectory, dataDirectory);
  return {
    explain: (name, version) =>
      readable(async () => shownAnswer(await explain({ dataDirectory, name, version, described }), dataDirectory)),
    causes: (name, contents) =>
      readable(async () => {
        const causes = await readWithdrawalCauses(dataDirectory, name, contents);
        return contents.map((content) => {
          const cause = causes.get(contentKey(content));
          return cause === undefined ? undefined : shownCause(cause, dataDirectory);
        });
      }),
  };
}

async function readable<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof BuildRefused) throw new RegistryError('TREE_DAMAGED', { message: cause.message, cause });
    throw cause;
  }
}

// The answers of a server that reads its packages from an origin: the folder of the builder is on another host.

export const withoutBuilder: Pick<Inspection, 'publications' | 'why' | 'contents' | 'rollbacksOf'> = {
  publications: { list: refuse, get: refuse, held: refuse },
  why: { explain: refuse, causes: refuse },
  contents: () => ({
    look: refuse,
    raw: refuse,
    compare: refuse,
    compareFiles: refuse,
    review: refuse,
    known: async () => [],
  }),
  rollbacksOf: () => ({ preview: refuse, rollBack: refuse, lift: refuse }),
};

function refuse(): Promise<never> {
  return Promise.reject(
    new RegistryError('NOT_AVAILABLE', {
      message:
        'This server reads its packages from an origin, and has no folder of the builder. Ask on the host that builds ' +
        'the packages.',
    }),
  );
}

// Archives that only the object store has, fetched for pages. A few stay on this disk until the next
// publication, since that may purge a version.

/** A page compares two archives, and shows none of more than 64 MiB. */
const mostKept = 8;

/** Gives the absolute path of an archive; undefined: the store has none. Rejects with StoreFailure. */
function createFetchedArchives(dataDirectory: string, output: OpenableStore) {
  const folder = join(dataDirectory, inspectedFolder);
  const fetches = new SingleFlight<string | undefined>();
  const kept = new Set<string>();
  const fetchOne = async (path: ListedPath): Promise<string | undefined> => {
    const listed = await new AbsentArchives(dataDirectory).file(path);
    if (listed === undefined) return undefined;
    const target = join(folder, `${listed.sha256}.zip`);
    if (kept.delete(target) && existsSync(target)) return keep(target);
    if (kept.size === 0) await rm(folder, { recursive: true, force: true }); // of a server before this one
    await mkdir(folder, { recursive: true });
    const store = await output.open();
    const found = await store.download(objectKeyOf(path, listed), target, listed).finally(() => store.close());
    return found ? keep(target) : undefined;
  };
  const keep = async (target: string): Promise<string> => {
    kept.add(target);
    const [oldest = target] = kept;
    if (kept.size > mostKept && kept.delete(oldest)) await rm(oldest, { force: true });
    return target;
  };
  return (path: string) => fetches.run(path, () => fetchOne(`public/${path}`));
}
