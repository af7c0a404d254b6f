// The ways a build ends before it publishes anything. Each has a message for the person who started the build.

/** Unusable arguments, configuration or data folder: the build wrote nothing. */
export class BuildRefused extends Error {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'BuildRefused';
  }
}

/** The build would probably have withdrawn versions by mistake: it published nothing. */
export class WithdrawalRefused extends BuildRefused {
  constructor(message: string) {
    super(message);
    this.name = 'WithdrawalRefused';
  }
}

/** No source is named, configured, remembered or registered. */
export class NothingToBuild extends BuildRefused {
  constructor(message: string) {
    super(message);
    this.name = 'NothingToBuild';
  }
}

/** A list of blocked versions below `index/` is damaged, lost, or lacks rows: the build published nothing. */
export class ListDamaged extends BuildRefused {
  /** the file, below `index/` */
  readonly list: string;

  constructor(list: string, message: string) {
    super(message);
    this.name = 'ListDamaged';
    this.list = list;
  }
}

/** No row of a list that is damaged. Rejects with any other error. */
export async function noneIfDamaged<Row>(list: Promise<readonly Row[]>): Promise<readonly Row[]> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof ListDamaged) return [];
    throw error;
  }
}

/** A file of the tree is damaged or lost, and the build cannot continue without the content of that file. */
export class PackageDamaged extends BuildRefused {
  constructor(message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'PackageDamaged';
  }
}

/** The folder of uploads has no ZIP, although versions are published from it: nothing was changed. */
export class UploadsLost extends PackageDamaged {
  constructor(message: string) {
    super(message);
    this.name = 'UploadsLost';
  }
}

/** Another build holds the lock. */
export class BuildBusy extends Error {
  /** what is known of that build, after `for` in a sentence */
  readonly holder: string;

  constructor(message: string, holder = 'another process') {
    super(message);
    this.holder = holder;
    this.name = 'BuildBusy';
  }
}

/**
 * The contents fetched before the build took its lock no longer suffice: the build releases the lock, fetches and
 * decides again.
 */
export class FetchNeeded extends Error {
  constructor(message = 'A source has to be fetched again.') {
    super(message);
    this.name = 'FetchNeeded';
  }
}
