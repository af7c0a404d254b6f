// What a host does with a registry: builds of its own source, uploads, and the operations of an operator.

import AdmZip from 'adm-zip';
import { publishArtifact } from '../../../build/artifacts/publish-artifact.ts';
import { build } from '../../../build/build.ts';
import type { PackageName } from '../../../build/contract/name.ts';
import { prune } from '../../../build/prune/prune.ts';
import { purgeVersion } from '../../../build/purge/purge-version.ts';
import { liftRollbacks, rollBack } from '../../../build/rollback/rollback.ts';
import type { BuildEffects, BuildRequest } from '../../../build/scan/build-request.ts';
import { withholdVersion } from '../../../build/withdraw/withhold-version.ts';
import type { TemporaryTree } from '../package-tree.ts';
import { whoClass, whoLibrary } from '../who-library.ts';

/** `version` undefined: the branch. `content` undefined: it goes. */
export interface StoreEdit {
  readonly version: string | undefined;
  readonly content: number | undefined;
}

export type StoreOperation =
  | { readonly kind: 'build'; readonly edits: readonly StoreEdit[]; readonly allowRepublish: boolean }
  | { readonly kind: 'upload'; readonly version: string; readonly content: number }
  | { readonly kind: 'withdraw' | 'purge'; readonly of: number; readonly version: string }
  | { readonly kind: 'rollback'; readonly to: number }
  | { readonly kind: 'lift' | 'prune' };

export interface Place {
  readonly host: number;
  readonly tree: TemporaryTree;
  readonly request: BuildRequest;
  readonly effects: BuildEffects;
  readonly waitMs: number;
}

export const packageOf = (host: number): PackageName => `acme/part-${host}` as PackageName;

/** A text that is equal for equal outcomes, also of a refusal. */
export async function perform(operation: StoreOperation, place: Place): Promise<string> {
  try {
    return JSON.stringify(await outcomeOf(operation, place));
  } catch (error) {
    if (!(error instanceof Error) || !/^Build(?:Refused|Busy)$/.test(error.constructor.name)) throw error;
    return error.message.replaceAll(place.request.dataDirectory, 'data');
  }
}

async function outcomeOf(operation: StoreOperation, place: Place): Promise<object> {
  const { request, effects } = place;
  switch (operation.kind) {
    case 'build':
      edit(operation.edits, place);
      return serialOf(await build({ ...request, allowRepublish: operation.allowRepublish }, effects));
    case 'upload':
      return serialOf(await publishArtifact({ path: archiveOf(operation, place) }, place));
    case 'withdraw':
      return serialOf(await withholdVersion({ ...operation, name: packageOf(operation.of) }, place));
    case 'purge': {
      const { of, version } = operation;
      const target = { name: packageOf(of), version, reference: undefined, mirrored: [], dryRun: false };
      return serialOf(await purgeVersion({ ...target, reason: 'secret' }, place));
    }
    case 'rollback':
      return serialOf(await rollBack({ to: operation.to, dryRun: false }, request, effects));
    case 'lift':
      return serialOf(await liftRollbacks(request, effects));
    case 'prune': {
      const { dataDirectory, output } = request;
      const order = { dataDirectory, output, keepForMs: 0, dryRun: false, actor: 'a test' };
      return serialOf(await prune(order, effects.now));
    }
  }
}

function serialOf(report: object): object {
  const { outcome, serial, code } = report as Record<string, unknown>;
  return { outcome, serial, code };
}

function edit(edits: readonly StoreEdit[], { host, tree }: Place): void {
  // a build that would leave nothing is refused
  tree.write({ [`source-${host}/steady/composer.json`]: { json: { name: `acme/steady-${host}`, version: '1.0.0' } } });
  for (const { version, content } of edits) {
    const folder = `source-${host}/${version ?? 'head'}`;
    tree.delete(folder);
    const library = whoLibrary(packageOf(host), version, {}, `${version ?? 'head'} ${content}`);
    if (content !== undefined)
      for (const [path, entry] of Object.entries(library)) tree.write({ [`${folder}/${path}`]: entry });
  }
}

/** The path of a new ZIP. */
function archiveOf({ version, content }: { version: string; content: number }, { host, request }: Place): string {
  const zip = new AdmZip();
  zip.addFile('composer.json', Buffer.from(JSON.stringify({ name: `acme/upload-${host}`, version })));
  zip.addFile('src/Who.php', Buffer.from(whoClass('Acme', `${version} ${content}`)));
  for (const entry of zip.getEntries()) entry.header.time = new Date(2026, 0, 1);
  const path = `${request.dataDirectory}-upload.zip`;
  zip.writeZip(path);
  return path;
}

const versions = ['1.0.0', '1.1.0', '2.0.0'] as const;

/** A random history of one of `hosts` hosts. */
export function historyOf(random: () => number, hosts: number, length: number): StoreOperation[] {
  const below = (limit: number): number => Math.floor(random() * limit);
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  const build = (): StoreOperation => {
    const edits = Array.from({ length: 1 + below(3) }, () => ({
      version: pick([undefined, undefined, ...versions]),
      content: pick([0, 1, 2, undefined]),
    }));
    return { kind: 'build', edits, allowRepublish: random() < 0.3 };
  };
  const kinds: readonly (() => StoreOperation)[] = [
    ...Array.from({ length: 8 }, () => build),
    () => ({ kind: 'upload', version: pick(versions), content: below(2) }),
    () => ({ kind: 'upload', version: pick(versions), content: below(2) }),
    () => ({ kind: 'withdraw', of: below(hosts), version: pick([...versions, 'dev-main']) }),
    () => ({ kind: 'purge', of: below(hosts), version: pick([...versions, 'dev-main']) }),
    () => ({ kind: 'rollback', to: 1 + below(6) }),
    () => ({ kind: 'lift' }),
    () => ({ kind: 'prune' }),
    () => ({ kind: 'prune' }),
  ];
  return [build(), ...Array.from({ length: length - 1 }, () => pick(kinds)())];
}
