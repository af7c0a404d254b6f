// The text of packages on the command line. Pure.

import { formatTable } from '../io/output.ts';

/** A published package in a list. */
export interface PackageLine {
  readonly name: string;
  readonly description: string | null;
  readonly type: string;
  /** true, or the package to use instead */
  readonly abandoned: boolean | string;
  /** the newest stable version, or the newest there is */
  readonly latest_version: string;
  readonly versions: number;
  readonly updated_at: string;
}

export function describePackages(packages: readonly PackageLine[]): string[] {
  const rows = packages.map(({ name, latest_version: latest, versions, type, abandoned }) => [
    name,
    latest,
    String(versions),
    type,
    abandonedText(abandoned),
  ]);
  const head = ['NAME', 'NEWEST', 'VERSIONS', 'TYPE', ''];
  return formatTable(head, rows);
}

function abandonedText(abandoned: boolean | string): string {
  if (typeof abandoned === 'string') return `abandoned, use ${abandoned}`;
  return abandoned ? 'abandoned' : '';
}
