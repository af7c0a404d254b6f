// A version constraint as data: comparisons, and groups of them. Parsers make it; `matches` reads it.

export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=';

export interface Comparison {
  readonly kind: 'comparison';
  readonly operator: ComparisonOperator;
  /** normalized; a bound may also be a version of no package, for example 1.0.0.0-BETA */
  readonly version: string;
}

export type Constraint =
  | Comparison
  /** `*` */
  | { readonly kind: 'anything' }
  | { readonly kind: 'all' | 'some'; readonly parts: readonly Constraint[] };

/** One part of a constraint, or the reason why Composer refuses the part. */
export type ParsedPart = { readonly constraints: readonly Constraint[] } | { readonly refusal: string };
