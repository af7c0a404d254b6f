// Advice for a full disk. `libretto prune` writes before it removes, so it cannot be the first step.

export const fullDiskAdvice =
  'Remove or move other files of this disk, or enlarge it. In the data folder, build/git and build/downloads ' +
  'may be removed while no build is running: ' +
  'the next build fetches them again. Then `libretto prune` removes archives of versions that are long withdrawn.';
