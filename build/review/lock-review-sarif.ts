// The review of a lock as SARIF 2.1.0, for the tools of CI that show findings at a line of a file. Pure.

import { findingKinds, type Finding, type FindingKind, type ReviewedPackage } from './lock-review.ts';

const rules: Readonly<Record<FindingKind, string>> = {
  malware: 'A locked version is malware',
  held: 'The policy of the registry refuses a locked version',
  advisory: 'A locked version has an advisory',
  'changed-bytes': 'A version has other bytes than before',
  dist: 'An archive comes from another place',
  plugin: 'A package runs code while Composer works',
  'autoload-file': 'A package runs a file in every request',
  'include-path': 'A package changes the include path',
  bin: 'A package adds a command',
  replace: 'A package stands in for another one',
  source: 'The source of a package moved',
  'autoload-namespace': 'A package loads classes of another namespace',
  dependency: 'A package requires another one',
  author: 'A package names another author',
  license: 'A package has another licence',
};

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
            rules: findingKinds.map((id) => ({ id, shortDescription: { text: `${rules[id]}.` } })),
          },
        },
        results: packages.flatMap((one) => one.findings.map((finding) => result(one, finding))),
      },
    ],
  };
}
