import { FindingTally, type CommonFinding, type GroupFindings } from './findingTally.ts';
import type { Finding } from './finding.ts';
import { RunTally, type RunTerms } from './runTally.ts';
import type { JudgedGroup } from './verdicts.ts';

/** Counts the numbers of a training report, group by group. A new result costs time only for its groups. */
export class ReportTally {
  readonly #groups = new Map<number, JudgedCounts>();
  readonly #findings = new Map<string, FindingTally>();
  readonly #run: RunTally;
  #episodes = 0;
  #trains = 0;

  constructor(terms: RunTerms) {
    this.#run = new RunTally(terms);
  }

  /** In the place of what was said of the group before. */
  put(judged: JudgedGroup): void {
    const { group } = judged.group;
    this.#delete(group);
    const counts = countsOf(judged);
    this.#groups.set(group, counts);
    this.#episodes += counts.episodes;
    this.#trains += counts.trains;
    for (const [kind, found] of counts.findings) {
      const tally = this.#findings.get(kind) ?? new FindingTally();
      this.#findings.set(kind, tally);
      tally.add(group, found);
    }
    this.#run.put(judged);
  }

  counts(): { readonly trains: number; readonly doesNotTrain: number } {
    return { trains: this.#trains, doesNotTrain: this.#episodes - this.#trains };
  }

  /**
   * Errors first, then by how many episodes they concern; those of the run come last.
   *
   * @param most how many episodes each names
   */
  findings(most = Infinity): readonly CommonFinding[] {
    const tallies = [...this.#findings.values()].sort(
      ({ place: [group, at] }, { place: [otherGroup, otherAt] }) => group - otherGroup || at - otherAt,
    );
    const common = tallies.flatMap((tally) => tally.common(most) ?? []);
    return [...common.sort((a, b) => rank(a) - rank(b) || b.count - a.count), ...this.#run.findings(most)];
  }

  has(group: number): boolean {
    return this.#groups.has(group);
  }

  /** Episodes that have `duplicate-task-id` on account of these groups, of which some may have had it before. */
  colliding(groups: readonly number[]): readonly number[] {
    return this.#run.colliding(groups);
  }

  #delete(group: number): void {
    const counts = this.#groups.get(group);
    if (counts === undefined) return;
    this.#episodes -= counts.episodes;
    this.#trains -= counts.trains;
    for (const kind of counts.findings.keys()) {
      const tally = this.#findings.get(kind);
      tally?.delete(group);
      if (tally?.isEmpty === true) this.#findings.delete(kind);
    }
  }
}

interface JudgedCounts {
  readonly episodes: number;
  readonly trains: number;
  /** By severity and code. */
  readonly findings: ReadonlyMap<string, GroupFindings>;
}

function countsOf({ episodes }: JudgedGroup): JudgedCounts {
  const findings = new Map<string, GroupFindings & { episodes: Set<number>; messages: string[] }>();
  let at = 0;
  for (const { episode, findings: found } of episodes) {
    for (const one of found) {
      const key = `${one.severity} ${one.code}`;
      const kind = findings.get(key) ?? { first: one, at, episodes: new Set(), messages: [] };
      findings.set(key, kind);
      kind.episodes.add(episode);
      if (!kind.messages.includes(one.message)) kind.messages.push(one.message);
      at += 1;
    }
  }
  return { episodes: episodes.length, trains: episodes.filter(({ trains }) => trains).length, findings };
}

function rank({ severity }: Finding): number {
  return severity === 'error' ? 0 : 1;
}
