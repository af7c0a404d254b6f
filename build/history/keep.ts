// The retention of the record of publications.

/** How many publications are recorded where nobody says otherwise. */
export const standardKeep = 100;
