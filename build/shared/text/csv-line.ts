// A line of a CSV file, as spreadsheets read it.

/** Quoted (RFC 4180). A spreadsheet would run a text that begins like a formula, so an apostrophe stands before it. */
export function csvLine(cells: readonly string[]): string {
  return cells.map(csvCell).join(',');
}

function csvCell(text: string): string {
  const safe = /^\s*[=+\-@]|^[\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
