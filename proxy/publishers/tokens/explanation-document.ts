// The explanation of an ID token in the management API and in `--json`.

import type { PublisherRecord } from '../model/publisher.ts';
import type { ExplanationDocument } from '../records/publisher-schema.ts';
import type { IdTokenExplanation } from './explain-id-token.ts';

type ExplainedToken = ExplanationDocument['publishers'][number]['token'];

export function explanationDocument(explanation: IdTokenExplanation): ExplanationDocument {
  const { verified, problem, issuer, run, publishers } = explanation;
  return {
    verified,
    problem,
    issuer: issuer?.url ?? null,
    run,
    publishers: publishers.map(({ record, is_of_repository, mismatches }) => ({
      id: record.id,
      name: record.name,
      purpose: record.purpose,
      of_repository: is_of_repository,
      accepts: mismatches.length === 0,
      mismatches,
      token: mismatches.length === 0 && problem === null ? tokenOf(record) : null,
    })),
  };
}

function tokenOf(record: PublisherRecord): ExplainedToken {
  const { purpose, token_minutes: minutes, packages, constraints, stability, not_after } = record;
  return { kind: purpose === 'publish' ? 'write' : 'read', minutes, packages, constraints, stability, not_after };
}
