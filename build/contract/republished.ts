// Which released versions a build may give other content. The old content stays retrievable (I3).

/** Released versions that may get other content: all, none, or one `acme/hello 1.0.0.0`. */
export type Republished = boolean | `${string} ${string}`;

export function mayRepublish(allowed: Republished, name: string, normalized: string): boolean {
  return allowed === true || allowed === `${name} ${normalized}`;
}
