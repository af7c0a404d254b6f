// Parses the builder's outcome for an artifact. A refusal is passed on to the client that sent the artifact.

import type { JsonObject } from '../../build/contract/json.ts';
import { assertAccepted } from '../sync/build-runner.ts';
import type { ArtifactPublication, Remarked } from './publisher.ts';

/** Throws RegistryError for a refusal, and Error for anything that is no outcome. */
export function readPublication(report: JsonObject): ArtifactPublication & Remarked {
  assertAccepted(report);
  const { notices } = report;
  const text = (key: string): string => required(report, key, 'string');
  const number = (key: string): number => required(report, key, 'number');
  return {
    name: text('name'),
    version: text('version'),
    version_normalized: text('version_normalized'),
    reference: text('reference'),
    sha256: text('sha256'),
    sha1: text('sha1'),
    size: number('size'),
    url: text('url'),
    serial: number('serial'),
    notices: Array.isArray(notices) ? notices.map(String) : [],
    staged: report['outcome'] === 'staged',
  };
}

/** Throws RegistryError for a refusal. */
export function readWithdrawal(report: JsonObject): void {
  assertAccepted(report);
  if (report['outcome'] !== 'withdrawn') throw new Error('the builder did not say that it withdrew the artifact');
}

function required<Kind extends 'string' | 'number'>(
  report: JsonObject,
  key: string,
  kind: Kind,
): Kind extends 'string' ? string : number {
  const value = report[key];
  if (typeof value !== kind) throw new Error(`the builder's answer has no ${key}`);
  return value as Kind extends 'string' ? string : number;
}
