// The severity of an OSV advisory: the word of its database, or else the rating of its CVSS vector. Pure.

import cvss from 'ae-cvss-calculator';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../build/contract/json.ts';
import { wordOf, type Severity } from './severity-word.ts';

const longestVector = 500;
/** The newest form first. */
const vectorTypes = ['CVSS_V4', 'CVSS_V3', 'CVSS_V2'];

/** `affected`: the entries about the package. null: the advisory says nothing of it that can be read. */
export function severityOf(advisory: JsonObject, affected: readonly JsonObject[]): Severity | null {
  const said = [advisory, ...affected].map(({ database_specific: own }) =>
    wordOf(isJsonObject(own) ? own['severity'] : undefined),
  );
  const word = said.find((one) => one !== undefined);
  if (word !== undefined) return word;
  const vectors = [...affected, advisory].flatMap(({ severity }) =>
    Array.isArray(severity) ? (severity as readonly JsonValue[]).filter(isJsonObject) : [],
  );
  for (const type of vectorTypes)
    for (const vector of vectors) {
      const rated = vector['type'] === type ? ratingOf(vector['score']) : undefined;
      if (rated !== undefined) return rated;
    }
  return null;
}

/** The ranges of CVSS 3 and 4; undefined: no vector with a base score above zero. */
function ratingOf(vector: JsonValue | undefined): Severity | undefined {
  if (typeof vector !== 'string' || vector.length > longestVector) return undefined;
  const score = baseScoreOf(vector);
  if (score === undefined || !(score > 0)) return undefined;
  if (score < 4) return 'low';
  if (score < 7) return 'medium';
  return score < 9 ? 'high' : 'critical';
}

interface Scores {
  /** undefined: the vector lacks a part of the base */
  readonly base?: number | undefined;
}

/** The library throws for some texts that are no vectors. */
function baseScoreOf(vector: string): number | undefined {
  try {
    const read = cvss.fromVector(vector) as { readonly calculateScores: () => Scores } | undefined;
    return read?.calculateScores().base;
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
