// What an hourly limit of requests allows, in runs of Composer. Pure.

const packages = 60;
/** one archive for each package, and the report of the installs (measured: docs/how-to/scaling.md) */
const installRequests = packages + 1;
/** packages.json, one document and one archive for each package, and the report of the installs */
const updateRequests = 2 * packages + 2;

/** The installs that an hourly limit allows to clients with an empty cache. `limit`: 0 for none. */
export function describeAllowance(limit: number): string {
  if (limit === 0) return 'The requests of this token are not limited.';
  if (limit < installRequests)
    return (
      `${limit} requests an hour allow no run of \`composer install\` with ${packages} packages and an empty cache, nor ` +
      'of `composer update`. A filled cache saves the archives.'
    );
  const runs = (requests: number): string => {
    const count = Math.floor(limit / requests);
    return `${count === 0 ? 'no run' : count === 1 ? '1 run' : `${count} runs`} of`;
  };
  return (
    `${limit} requests an hour allow ${runs(installRequests)} \`composer install\` with ${packages} packages and an ` +
    `empty cache, or ${runs(updateRequests)} \`composer update\`. A filled cache saves the archives.`
  );
}
