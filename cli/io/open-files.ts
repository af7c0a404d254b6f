// The limit of open files: what it must be, and what a process says that has reached it.

/** A server has up to 8192 connections, each a file, and opens archives. */
export const enoughFiles = 10_000;

export const moreFiles = 'LimitNOFILE=65536 in the unit of systemd, --ulimit nofile=65536 for a container';

/** The message for an error of this limit; undefined for any other error. Opens no file. */
export function fileLimitText(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'EMFILE')) return undefined;
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } };
  return (
    `too many open files: this process may open ${String(userLimits?.open_files?.soft ?? 'too few')}, and a server needs ` +
    `${enoughFiles}. Raise the limit: \`ulimit -n ${enoughFiles}\` in a shell, ${moreFiles}.`
  );
}
