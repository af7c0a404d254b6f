// Tests a burst of webhooks over a kill of the server (row 91): no hook that was answered is lost, and the burst costs
// one sync for each repository and one more for what arrived meanwhile. `npm run fault` plays 1 000 hooks over 200
// repositories.

import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';

import { sendGitHubHook } from '../util/github-hook.ts';
import { startManagedRegistry, type ManagedRegistry } from '../util/managed-registry.ts';
import { temporaryFolder } from '../util/temporary-folder.ts';

type Json = Record<string, unknown>;
interface Delivery {
  readonly provider_id: string;
  readonly received_at: string;
  readonly syncs: readonly { readonly state: string }[];
}
interface Job {
  readonly state: string;
  readonly started_at: string;
}

const repositories = Number(process.env['HOOK_REPOSITORIES'] ?? 4);
const hooks = repositories * 5;

const folder = temporaryFolder('hook-crash');
let registry: ManagedRegistry;
let ids: readonly string[] = [];

beforeAll(async () => {
  for (let at = 0; at < repositories; at += 1) {
    mkdirSync(folder.at('sources', `s${at}`, 'tool'), { recursive: true });
    const composerJson = JSON.stringify({ name: `acme/tool-${at}`, version: '1.0.0' });
    writeFileSync(folder.at('sources', `s${at}`, 'tool', 'composer.json'), composerJson);
  }
  registry = await startManagedRegistry({ sourceRoots: [folder.at('sources')] });
  const made: string[] = [];
  for (let at = 0; at < repositories; at += 1) {
    const body = { type: 'directory', url: folder.at('sources', `s${at}`) };
    made.push(String((await registry.api('POST', '/api/repositories', body)).json['id']));
  }
  ids = made;
});
afterAll(async () => {
  await registry[Symbol.asyncDispose]();
  await folder.remove();
});

const deliveriesOf = async (id: string): Promise<Delivery[]> =>
  (await registry.api('GET', `/api/repositories/${id}/hook`)).json['deliveries'] as Delivery[];
const jobsOf = async (id: string): Promise<Job[]> =>
  ((await registry.api('GET', `/api/repositories/${id}/jobs?limit=100`)).json['data'] as Job[]).toReversed();

/** Sends all hooks at once. Gives the deliveries that were answered with 202, by their repository. */
async function burst(): Promise<ReadonlyMap<string, readonly string[]>> {
  const answered = new Map<string, string[]>(ids.map((id) => [id, []]));
  const secrets = await Promise.all(
    ids.map(async (id) => String((await registry.api('POST', `/api/repositories/${id}/hook`)).json['secret'])),
  );
  const sent = Array.from({ length: hooks }, async (_, at) => {
    const [id, delivery] = [ids[at % ids.length]!, `delivery-${at}`];
    const secret = secrets[at % ids.length]!;
    const reply = await sendGitHubHook({ address: `${registry.url()}/hooks/${id}`, secret, delivery });
    expect([reply.status, reply.json['status']]).toEqual([202, 'accepted']);
    answered.get(id)?.push(delivery);
  });
  await Promise.all(sent);
  return answered;
}

it('no hook of a burst is lost over a kill, and each further sync has a hook that came after the former began', async () => {
  const answered = await burst();
  await registry.stop('SIGKILL');
  await registry.start();
  await vi.waitFor(
    async () => {
      for (const id of ids)
        expect((await deliveriesOf(id)).flatMap(({ syncs }) => syncs.map(({ state }) => state))).toEqual(
          answered.get(id)?.map(() => 'succeeded'),
        );
    },
    { timeout: 600_000, interval: 500 },
  );
  for (const id of ids) {
    const arrivals = (await deliveriesOf(id)).map(({ received_at: at }) => at);
    const complete = (await jobsOf(id)).filter(({ state }) => state === 'succeeded');
    for (const [at, { started_at: start }] of complete.slice(0, -1).entries())
      expect(arrivals.some((arrival) => arrival >= start && arrival <= (complete[at + 1]?.started_at ?? ''))).toBe(
        true,
      );
  }
  const packages = (await registry.api('GET', '/api/packages?limit=100')).json['data'] as Json[];
  expect(packages.length).toBe(Math.min(repositories, 100));
}, 900_000);
