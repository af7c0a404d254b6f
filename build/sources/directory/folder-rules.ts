// The folders that a directory source does not enter. Tools leave many files in a working folder, and none of these
// files may become part of a release. Otherwise a test run would change the published package.

/** During the search for packages: skips installations of Composer or npm, and folders that start with a dot. */
export function isSearched(name: string): boolean {
  return name !== 'vendor' && name !== 'node_modules' && !name.startsWith('.');
}

/**
 * Inside a package: a `vendor` folder next to a composer.json is Composer's installation. Deeper ones
 * (resources/views/vendor) belong to the package.
 */
export function isPartOfPackage(name: string, hasComposerJson: boolean): boolean {
  return name !== 'node_modules' && !name.startsWith('.') && !(hasComposerJson && name === 'vendor');
}

/** Dot-folders that users do not expect in a package: the report omits them. */
export function isSilentlyLeftOut(name: string): boolean {
  return (
    !name.startsWith('.') ||
    /^\.(?:git|svn|hg|bzr|idea|vscode|fleet|cache|DS_Store|phpunit\.cache|php-cs-fixer\.cache|phpstan\.cache|phpdoc|composer)$/i.test(
      name,
    )
  );
}
