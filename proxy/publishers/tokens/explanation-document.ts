// The explanation of an ID token in the management API and in `--json`.

import type { PublishedFrom } from '../../artifacts/published-from.ts';
import type { Mismatch } from '../claims/job.ts';
import type { PublisherRecord, PublisherView, Purpose } from '../model/publisher.ts';
import type { IdTokenExplanation } from './explain-id-token.ts';

export interface ExplainedToken extends PublisherView {
  readonly kind: 'read' | 'write';
  readonly minutes: number;
}

export interface ExplanationDocument {
  readonly verified: boolean;
  readonly problem: string | null;
  readonly issuer: string | null;
  readonly run: Omit<PublishedFrom, 'publisher'> | null;
  readonly publishers: readonly {
    readonly id: string;
    readonly name: string;
    readonly purpose: Purpose;
    readonly of_repository: boolean;
    readonly accepts: boolean;
    readonly mismatches: readonly Mismatch[];
    /** what the ID token gets here; null: nothing */
    readonly token: ExplainedToken | null;
  }[];
}

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
