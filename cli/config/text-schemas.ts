// Patterns of texts, for checking them and for editors' schemas alike.

/** Something to read, and no control characters. */
export const plainText = String.raw`^(?=.*\S)[^\u0000-\u001f\u007f]+$`;

/** A dot or a colon is in every address; more a pattern need not know. */
export const addressRangePattern = '^[0-9A-Fa-f:.]*[:.][0-9A-Fa-f:.]*(?:/[0-9]{1,3})?$';
