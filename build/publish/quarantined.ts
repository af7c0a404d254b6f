// Writes `index/_quarantined.json`: the quarantined versions of a build, each with the reason.

import {
  formatQuarantined,
  parseQuarantined,
  quarantinedPath,
  type QuarantinedVersion,
} from '../contract/quarantined.ts';
import type { PackagesOutcome } from './outcome.ts';
import { parseOwnFile } from '../output/parse-own-file.ts';
import type { Run } from './run.ts';

/**
 * The file's bytes after this build; undefined if it stays. Sources that were not read keep the findings of earlier
 * builds.
 */
export async function nextQuarantined(
  { output, choice, limit }: Run,
  { quarantined }: PackagesOutcome,
): Promise<string | undefined> {
  const before = await output.read('index', quarantinedPath);
  const known =
    (before === undefined ? undefined : parseOwnFile(`index/${quarantinedPath}`, () => parseQuarantined(before))) ?? [];
  const left = new Set(choice.left.map(({ spec }) => spec.id));
  const read = new Set(choice.read.map(({ spec }) => spec.id));
  const stands = ({ source, name }: QuarantinedVersion): boolean =>
    left.has(source) || (read.has(source) && limit !== undefined && (name === null || !limit.admits(name)));
  const found = quarantined.map(({ source, quarantine: { code, message, where, name, version } }) => ({
    source,
    code,
    message,
    where,
    name,
    version,
  }));
  const after = formatQuarantined([...known.filter(stands), ...found]);
  return after === before || (before === undefined && found.length === 0) ? undefined : after;
}
