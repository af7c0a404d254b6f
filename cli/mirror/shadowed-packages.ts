// Finds mirrored packages that are no longer offered because their vendor has a private package. Installs from lock
// files with these packages fail. The operator may intend that for a vendor of the company, and may not expect it for a
// vendor with one forked package. The accepted archives name the packages; no request is sent.

import { join } from 'node:path';

import { parsePackageName, splitPackageName, type PackageName } from '../../build/contract/name.ts';
import type { BuildReport } from '../../build/contract/build-report.ts';
import { entriesIn } from '../../proxy/mirror/archives/accepted-archive-store.ts';
import { mirroredNames } from '../../proxy/mirror/archives/mirror-inventory.ts';
import type { PrecedenceRules, PrivateNames } from '../../proxy/core/tree/precedence.ts';
import { privateNamesIn } from '../../proxy/core/tree/private-names.ts';
import type { Config } from '../config/config.ts';
import type { Context } from '../io/context.ts';
import { mirrorFolder } from './compose-mirror.ts';
import { upstreamsHere } from './current-mirror-rules.ts';

export interface ShadowedPackage {
  readonly vendor: string;
  readonly names: readonly PackageName[];
  /** how to offer the packages again */
  readonly advice: string;
}

/** Shadowed packages of the vendors that `isMeant` accepts; empty without a mirror. */
export async function shadowedPackages(
  folder: string,
  rules: PrecedenceRules,
  privateNames: PrivateNames,
  isMeant: (vendor: string) => boolean = () => true,
): Promise<readonly ShadowedPackage[]> {
  if (rules.upstreams.length === 0) return [];
  const found = new Map<string, PackageName[]>();
  for await (const name of mirroredNames(folder)) {
    const { vendor } = splitPackageName(name);
    if (
      rules.sharedVendors.includes(vendor) ||
      !isMeant(vendor) ||
      !privateNames.hasVendor(vendor) ||
      privateNames.has(name)
    )
      continue;
    found.set(vendor, [...(found.get(vendor) ?? []), name]);
  }
  return [...found].map(([vendor, names]) => ({
    vendor,
    names,
    advice: `libretto settings set mirroring.shared_vendors '${JSON.stringify([...rules.sharedVendors, vendor])}'`,
  }));
}

export function describeShadowed({ vendor, names }: ShadowedPackage): string {
  const listed = names.length <= 3 ? names.join(', ') : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`;
  return (
    `${listed}: mirrored until the vendor ${vendor} got a private package here, and not offered since; installs ` +
    `that lock ${names.length === 1 ? 'it' : 'them'} fail.`
  );
}

/**
 * Records before a build the vendors without private packages. The returned function adds notices about newly shadowed
 * packages to the build's report.
 */
export async function watchShadowed(
  config: Config,
  context: Context,
): Promise<(report: BuildReport) => Promise<BuildReport>> {
  const folder = mirrorFolder(config);
  const names = privateNamesIn(config.data.value);
  const before = new Set(
    (await entriesIn(join(folder, 'dist'))).filter(
      (vendor) => parsePackageName(`${vendor}/x`) !== undefined && !names.hasVendor(vendor),
    ),
  );
  return async (report) => {
    const gained = new Set([...before].filter((vendor) => names.hasVendor(vendor)));
    if (gained.size === 0) return report;
    const sourceOf = (vendor: string): string =>
      report.added.find(({ name }) => name.startsWith(`${vendor}/`))?.source ?? vendor;
    try {
      const cutOff = await shadowedPackages(folder, await upstreamsHere(config, context), names, (vendor) =>
        gained.has(vendor),
      );
      const notices = cutOff.map((one) => ({
        source: sourceOf(one.vendor),
        message: `${describeShadowed(one)} If other packages of ${one.vendor} are public: ${one.advice}`,
      }));
      return { ...report, notices: [...report.notices, ...notices] };
    } catch (error) {
      // the publication succeeded all the same
      const reason = error instanceof Error ? error.message : String(error);
      const notices = [...gained].map((vendor) => ({
        source: sourceOf(vendor),
        message: `it is unknown whether mirrored packages of ${vendor} are still offered: ${reason}`,
      }));
      return { ...report, notices: [...report.notices, ...notices] };
    }
  };
}

/** For `doctor`. */
export async function localShadowedPackages(config: Config, context: Context): Promise<readonly ShadowedPackage[]> {
  return shadowedPackages(
    mirrorFolder(config),
    await upstreamsHere(config, context),
    privateNamesIn(config.data.value),
  );
}
