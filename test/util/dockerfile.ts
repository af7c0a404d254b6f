// Reads a Dockerfile, and writes a shell script that does what `docker build` and `docker run --read-only` would do: on
// copies of this machine's files in place of the base images, in namespaces of its own, without a network.

export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of each stage, without FROM. Comments and empty lines are left out. */
export function stagesOf(dockerfile: string): readonly (readonly Instruction[])[] {
  const lines = dockerfile.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [, name = '', text = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`This line is no instruction: ${line}`);
    if (name === 'FROM') stages.push([]);
    else stages.at(-1)?.push({ name, text });
  }
  return stages;
}

/** The last instruction `name` of a stage. */
export function textOf(stage: readonly Instruction[], name: string): string {
  const found = stage.findLast((one) => one.name === name);
  if (found === undefined) throw new Error(`The image has no ${name}.`);
  return found.text;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** A root folder of the name, like this machine's own, whose changes stay in memory. */
const openRoot = (name: string): string => `
mkdir "$work/${name}" "$work/${name}.above" "$work/${name}.work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$work/${name}.above,workdir=$work/${name}.work" "$work/${name}"
mount -t proc proc "$work/${name}/proc"
mount --rbind /dev "$work/${name}/dev"
mount -t tmpfs -o mode=1777 tmpfs "$work/${name}/tmp"
touch "$work/${name}/usr/local/bin/node"
mount --bind "$node" "$work/${name}/usr/local/bin/node"
echo 'node:x:1000:1000::/home/node:/bin/sh' >> "$work/${name}/etc/passwd"
echo 'node:x:1000:' >> "$work/${name}/etc/group"`;

/** The lines of a stage. `skipped`: RUN instructions that need a network, and what stands for them. */
function linesOf(name: string, stage: readonly Instruction[], skipped: Readonly<Record<string, string>>): string[] {
  let folder = '/';
  const run = (line: string): string =>
    `chroot "$work/${name}" env -i HOME=/root PATH="$PATH" npm_config_loglevel=error sh -ec ${quoted(`cd ${folder}; ${line}`)} >&2`;
  return stage.flatMap(({ name: instruction, text }) => {
    if (instruction === 'WORKDIR') {
      folder = text;
      return [`mkdir -p "$work/${name}${text}"`];
    }
    if (instruction === 'COPY') {
      const words = text.split(' ');
      const to = words.at(-1) === './' ? folder : `${folder}/${words.at(-1)}`;
      return words.slice(0, -1).map((from) => `cp -R "$context/${from}" "$work/${name}${to}"`);
    }
    if (instruction !== 'RUN') return [];
    const instead = Object.entries(skipped).find(([start]) => text.startsWith(start))?.[1];
    if (instead !== undefined) return [instead];
    const [, options, source = '', target = '', command = text] =
      /^(--mount=type=bind,from=\w+,source=(\S+),target=(\S+)) (.*)$/.exec(text) ?? [];
    if (options === undefined) return [run(command)];
    const [from, at] = [`"$work/packed${source}"`, `"$work/${name}${target}"`];
    return [`touch ${at}; mount --bind ${from} ${at}`, run(command), `umount ${at}; rm ${at}`];
  });
}

/**
 * The script: builds the image and runs it with a read-only root folder, as its USER without any capability. `inside`
 * are lines of the script that follow: `$container COMMAND …` runs a command in the container, `$work/image` is its
 * root. The script expects the folders `$context`, `$modules` (installed packages), `$work` (empty) and the program
 * `$node`.
 */
export function containerScript(dockerfile: string, inside: string): string {
  const [packed = [], image = []] = stagesOf(dockerfile);
  const environment = textOf(image, 'ENV');
  const limits = '--no-new-privs --bounding-set=-all --inh-caps=-all';
  return [
    'set -eu',
    'ip link set lo up',
    'mount -t tmpfs tmpfs "$work"',
    openRoot('packed'),
    ...linesOf('packed', packed, {
      'npm ci ':
        'mkdir "$work/packed/libretto/node_modules"; mount --bind "$modules" "$work/packed/libretto/node_modules"',
    }),
    openRoot('image'),
    ...linesOf('image', image, { 'apt-get ': ':' }),
    'cp -a "$work/image/data" "$work/volume"',
    'mount --bind "$work/volume" "$work/image/data"',
    'mount -o remount,ro "$work/image"',
    `container="chroot $work/image setpriv --reuid=1000 --regid=1000 --clear-groups ${limits} env -i -C /data HOME=/home/node PATH=$PATH ${environment}"`,
    inside,
  ].join('\n');
}
