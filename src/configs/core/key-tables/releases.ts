import type { KeyRow, KnownRelease, Program } from './keyTableRow.ts';

export type { KnownRelease, Program } from './keyTableRow.ts';

interface Release {
  readonly name: string;
  /** Words that only the sources of this release and of later ones have. */
  readonly marks?: readonly string[];
}

export const programLabels: Readonly<Record<Program, string>> = {
  ajet: 'AgentJet',
  trinity: 'Trinity-RFT',
};

/** Returns a release for people, such as `Trinity-RFT 0.6.0`. */
export function releaseText({ program, name }: KnownRelease): string {
  return `${programLabels[program]} ${name}`;
}

/** Oldest first. They are not in the tables of keys, because help and settings name them without reading a table. */
const releases: Readonly<Record<Program, readonly Release[]>> = {
  ajet: [
    { name: 'January 2026' },
    { name: 'February 2026', marks: ['enable_interchange_server'] },
    { name: 'May 2026', marks: ['lora'] },
    { name: 'August 2026', marks: ['teacher_model', 'trainer_verl', 'ppo_max_token_len_per_gpu'] },
  ],
  trinity: [
    { name: '0.3.3' },
    { name: '0.4.0' },
    { name: '0.4.1' },
    { name: '0.5.0' },
    { name: '0.5.1' },
    { name: '0.5.2' },
    { name: '0.6.0' },
    { name: 'main', marks: ['shared_run'] },
  ],
};

export function releaseNames(program: Program): readonly string[] {
  return releases[program].map(({ name }) => name);
}

/** The newest release of Trinity-RFT that pip installs. */
export const usualTrinity: KnownRelease = { program: 'trinity', name: '0.6.0', assumed: true };

/** Returns the newest release whose marks are in the sources; undefined if none of the marked ones. */
export function markedRelease(program: Program, sources: string): string | undefined {
  const words = new Set(sources.match(/[a-z_]\w+/gi));
  return releases[program].findLast(({ marks = [] }) => marks.some((mark) => words.has(mark)))?.name;
}

/** Returns the release of a version such as `0.5.1.post2`: the newest one that is not newer. */
export function releaseOf(program: Program, version: string): string | undefined {
  const names = releaseNames(program).filter((name) => /^\d/.test(name));
  const newest = names.findLast((name) => compareVersions(name, version) <= 0);
  return newest ?? names[0];
}

/** Compares the numbers of two versions. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => (/^\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').split('.'));
  for (let at = 0; at < 3; at += 1) {
    const difference = Number(left?.[at] ?? 0) - Number(right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Returns the rows as a release knows them: with its defaults, and with a mark on the keys that it does not have. */
export function rowsOfRelease(rows: readonly KeyRow[], release: KnownRelease | undefined): readonly KeyRow[] {
  if (release === undefined) return rows;
  const names = releaseNames(release.program);
  const own = names.indexOf(release.name);
  const isPast = (name: string): boolean => names.indexOf(name) <= own;
  return rows.map((row) => {
    const isGone = row.removed !== undefined && isPast(row.removed);
    const absent = isGone || (row.since !== undefined && !isPast(row.since));
    const past = Object.entries(row.defaults ?? {}).filter(([name]) => isPast(name));
    const [, byRelease] = past.at(-1) ?? [];
    return {
      ...row,
      absent,
      ...(past.length > 0 && { default: byRelease }),
      ...(!isGone && { removed: undefined }),
    };
  });
}
