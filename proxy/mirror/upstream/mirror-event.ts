// The events of the mirror, for the log and for metrics. No URL in them has a query or credentials.

export type MirrorEvent =
  /** a request for a document was sent to an upstream */
  | {
      readonly kind: 'document';
      readonly upstream: string;
      readonly url: string;
      readonly outcome: 'fetched' | 'unchanged' | 'missing';
    }
  /** a document could not be fetched: the stored one is served, if there is one */
  | {
      readonly kind: 'document-failed';
      readonly upstream: string;
      readonly url: string;
      readonly message: string;
      readonly stale: boolean;
    }
  /** versions that cannot be mirrored are left out */
  | { readonly kind: 'versions-left-out'; readonly name: string; readonly count: number; readonly first: string }
  /** a mirrored package replaces or provides private names, or names of other upstreams: these links are removed */
  | { readonly kind: 'stand-ins-dropped'; readonly name: string; readonly count: number; readonly names: string }
  /** lists that named versions of a package are empty now: these versions are no longer blocked by them */
  | { readonly kind: 'lists-emptied'; readonly name: string; readonly upstream: string; readonly lists: string }
  /** a list or a row in the document of a package cannot be read: what it said before still counts */
  | { readonly kind: 'lists-unreadable'; readonly name: string; readonly upstream: string }
  /** the last lists of a package are damaged, or cannot be written */
  | { readonly kind: 'lists-unwritten'; readonly name: string; readonly message: string }
  | { readonly kind: 'archive'; readonly name: string; readonly version: string; readonly bytes: number }
  | { readonly kind: 'archive-failed'; readonly name: string; readonly version: string; readonly message: string }
  /** an alarm: wrong checksum, no ZIP */
  | { readonly kind: 'archive-refused'; readonly name: string; readonly version: string; readonly message: string }
  /** an alarm: an upstream offers other content for a release than was accepted once */
  | { readonly kind: 'release-changed'; readonly name: string; readonly version: string; readonly message: string };

export type ReportMirrorEvent = (event: MirrorEvent) => void;
