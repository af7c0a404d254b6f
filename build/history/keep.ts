// The retention of the record of publications.

/** The default number of recorded publications. */
export const standardKeep = 100;
