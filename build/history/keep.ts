// How much of the record of publications is kept.

/** How many publications are recorded where nobody says otherwise. */
export const standardKeep = 100;
