// A registry on disk for the commands about the policy: private packages, a stored mirrored one, tokens, and counts of
// installs.

import { writeFileSync } from 'node:fs';
import type { JsonValue } from '../../build/contract/json.ts';
import { openLmdbStore } from '../../proxy/state/lmdb-store.ts';
import { archiveFor, mirroringRegistry, type MirroringRegistry } from './mirroring-registry.ts';
import { below, libraryTree, temporaryTree } from './package-tree.ts';
import { runCli, type CliOutcome } from './run-cli.ts';
import { startUpstream, type TestUpstream } from './upstream.ts';

export interface PolicyRegistry extends AsyncDisposable {
  readonly registry: MirroringRegistry;
  readonly upstream: TestUpstream;
  /** Runs `libretto policy`; `policy`: the content of policy.json beside it. */
  readonly policy: (args: readonly string[], policy?: unknown, input?: string) => Promise<CliOutcome>;
  readonly json: (args: readonly string[], policy?: unknown) => Promise<Record<string, unknown>>;
  /** Makes a token that was used now, and returns its id. */
  readonly usedToken: (...flags: readonly string[]) => Promise<string>;
  /** Writes rows of the state without a trace. */
  readonly rows: (rows: Readonly<Record<string, JsonValue>>) => Promise<void>;
}

export const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** acme/app 1.0.0 (MIT), acme/plug 2.0.0 (a plugin without a licence), and some/lib 1.0.0 and 1.1.0 of a mirror. */
export async function policyRegistry(): Promise<PolicyRegistry> {
  const upstream = await startUpstream();
  const registry = await mirroringRegistry(upstream.url);
  const { folder } = registry;
  await publish(registry, upstream);
  const rows: PolicyRegistry['rows'] = (given) => writeRows(folder.at('data/state'), given);
  const policy: PolicyRegistry['policy'] = (args, content, input) => {
    if (content !== undefined) writeFileSync(folder.at('policy.json'), JSON.stringify(content));
    return runCli(['policy', ...args], {
      cwd: folder.path,
      environment: { LIBRETTO_DATA: folder.at('data') },
      ...(input === undefined ? {} : { input, alone: true }),
    });
  };
  return {
    registry,
    upstream,
    policy,
    json: async (args, content) => JSON.parse((await policy([...args, '--json'], content)).stdout) as never,
    usedToken: async (...flags) => {
      const { id } = await registry.json('token', 'create', '--description', 'CI', ...flags);
      await rows({ [`token-use/${String(id)}`]: { at: new Date().toISOString(), from: '127.0.0.1' } });
      return String(id);
    },
    rows,
    [Symbol.asyncDispose]: async () => {
      await registry[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

async function publish(registry: MirroringRegistry, upstream: TestUpstream): Promise<void> {
  const plugin = libraryTree('acme/plug', { version: '2.0.0', type: 'composer-plugin', license: undefined });
  await registry.json('build', temporaryTree(below('plug', plugin), registry.folder.path).root);
  upstream.put('some/lib', [
    { version: '1.0.0', zip: archiveFor('1.0.0') },
    { version: '1.1.0', zip: archiveFor('1.1.0'), extra: { abandoned: 'other/lib' } },
  ]);
  await registry.warm(['some/lib', '1.1.0']);
}

async function writeRows(directory: string, rows: Readonly<Record<string, JsonValue>>): Promise<void> {
  const store = await openLmdbStore(directory);
  const puts = Object.entries(rows).map(([key, value]) => ({ key, value }));
  await store.commit({ conditions: [], puts, deletes: [], quiet: true });
  await store.close();
}
