// The review of a lock as SARIF 2.1.0, for the tools of CI that show findings at a line of a file. Pure.

import { capabilityKinds, describeCapability } from './capabilities.ts';
import { findingKinds, type Finding, type FindingKind, type ReviewedPackage } from './lock-review.ts';

const own: Readonly<Partial<Record<FindingKind, string>>> = {
  malware: 'A locked version is malware',
  held: 'The policy of the registry refuses a locked version',
  advisory: 'A locked version has an advisory',
  'changed-bytes': 'A version has other bytes than before',
  dist: 'An archive comes from another place',
};

function ruleText(kind: FindingKind): string {
  const capability = capabilityKinds.find((one) => one === kind);
  return (
    own[kind] ?? `A package can newly do this: ${capability && describeCapability({ kind: capability, detail: '…' })}`
  );
}

export interface SarifPlace {
  /** the path of the new lock file */
  readonly file: string;
  /** the line of a package in it, from 1; undefined: it is not there */
  readonly lineOf: (name: string) => number | undefined;
  readonly version: string;
}

/** `clean`: removes characters that a terminal or a reader must not get. */
export function lockReviewSarif(
  packages: readonly ReviewedPackage[],
  { file, lineOf, version }: SarifPlace,
  clean: (text: string) => string,
): object {
  const result = ({ name, to }: ReviewedPackage, { kind, level, message }: Finding): object => ({
    ruleId: kind,
    ruleIndex: findingKinds.indexOf(kind),
    level,
    message: { text: clean(`${name} ${to ?? ''}: ${message}.`) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') },
          region: { startLine: lineOf(name) ?? 1 },
        },
      },
    ],
    // so that a tool knows a finding again when its line moves
    partialFingerprints: { 'lockReview/v1': clean(`${name} ${kind} ${message}`) },
  });
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Libretto',
            version,
            rules: findingKinds.map((id) => ({ id, shortDescription: { text: `${ruleText(id)}.` } })),
          },
        },
        results: packages.flatMap((one) => one.findings.map((finding) => result(one, finding))),
      },
    ],
  };
}
