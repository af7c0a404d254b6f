// The status of the registry over HTTP.

import { z } from 'zod';
import type { Counters } from '../../core/limits/counters.ts';
import type { MaybeAsync } from '../../../build/shared/concurrency/maybe-async.ts';
import type { UpstreamProblem } from '../../mirror/rules/upstream-problems.ts';
import type { Catalogue } from '../../packages/catalogue.ts';
import type { PublishedFiles } from '../../core/tree/published-files.ts';
import type { StateStore } from '../../core/state/state-store.ts';
import { readStatus } from '../../status/status.ts';
import { operation } from '../../registry/operation.ts';
import { time, timeSchema } from '../../registry/fields.ts';

export interface StatusServices {
  readonly published: PublishedFiles;
  /** the data folder that is built into; undefined: builds are made on another host */
  readonly dataDirectory: string | undefined;
  readonly state: Pick<StateStore, 'get' | 'range'>;
  readonly catalogue: Catalogue;
  readonly counters: Pick<Counters, 'peek' | 'degraded'>;
  /** problems of other registries; left out: there are none */
  readonly upstreamProblems?: (() => MaybeAsync<readonly UpstreamProblem[]>) | undefined;
  readonly version: string;
  /** start of this process's service, epoch milliseconds */
  readonly startedAtMs: number;
  /** the storage of the state */
  readonly stateKind: 'lmdb' | 'redis';
}

const count = (description: string) => z.number().int().meta({ description });

export const statusSchema = z
  .object({
    version: z.string().meta({ description: 'the version of Libretto', example: '0.2.0' }),
    started_at: time.meta({ description: 'when the answering process started to serve' }),
    counts: z
      .object({
        packages: count('published packages'),
        damaged_packages: count(
          'published packages with a missing or damaged file; the other counts leave them out, and `libretto verify` ' +
            'names the repair',
        ),
        versions: count('published versions'),
        tokens: z
          .object({ read: count('read tokens'), write: count('write tokens') })
          .meta({ description: 'the number of active tokens, by kind' }),
        users: count('users, including disabled users'),
        repositories: count('registered repositories'),
        connections: count('connections to forges'),
        failed_connections: count('connections whose last refresh failed; `libretto doctor` says why'),
        artifacts: count('published uploads'),
      })
      .meta({ description: 'the number of objects' }),
    publication: z
      .object({ serial: count('grows with each publication'), published_at: timeSchema('it was made') })
      .nullable()
      .meta({ description: 'the newest publication; null before the first one, or if it cannot be read' }),
    last_build: z
      .object({
        finished_at: timeSchema('it ended'),
        outcome: z.enum(['published', 'unchanged', 'failed']).meta({
          description:
            '`unchanged`: nothing visible to clients has changed. `failed`: the build failed, and published ' +
            'versions stay',
        }),
        quarantined: count('versions that were left out'),
        failed_sources: count('sources that could not be read'),
      })
      .nullable()
      .meta({ description: 'the last build of all sources or of one source; null if none is known' }),
    counters: z.enum(['ok', 'local']).meta({
      description: '`local`: the shared counters are unreachable, so this process counts requests alone',
    }),
    mirror: z
      .object({
        problems: z
          .array(
            z.object({
              upstream: z.string().meta({
                description: 'the id of a registered repository, or `public` for the registry in mirroring.url',
                example: 'public',
              }),
              message: z.string().meta({ description: 'the problem and the solution' }),
            }),
          )
          .meta({ description: 'one entry per registry' }),
      })
      .meta({
        description:
          'configured registries that are not used because their credentials do not work. Stored packages are ' +
          'still served',
      }),
    state: z
      .object({
        kind: z
          .enum(['lmdb', 'redis'])
          .meta({ description: '`lmdb`: in the data folder. `redis`: in a Redis shared by several hosts' }),
      })
      .meta({ description: 'the storage of tokens, users and settings' }),
  })
  .meta({ id: 'Status' });

export const getStatus = operation({
  id: 'getStatus',
  method: 'get',
  path: '/api/status',
  tag: 'Status',
  summary: 'Get the status',
  description: 'The state of the registry. GET /health gives a short form without authentication.',
  answer: statusSchema,
  answers: 'the status',
  run: async (services: StatusServices, _, { nowMs }) => ({
    version: services.version,
    started_at: new Date(services.startedAtMs).toISOString(),
    ...(await readStatus(services, nowMs)),
    state: { kind: services.stateKind },
  }),
});
