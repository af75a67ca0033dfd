import { largestWindow } from './protocol/traceRpc.ts';
import {
  type EpisodeResult,
  withSelection,
  type Selection,
} from '../../tracking/core/records/episodeResult.ts';
import type { ReportView } from './protocol/runRpc.ts';
import { finding, hintOf, levelOf } from '../../tracking/core/finding.ts';
import { groupBy } from '../../tracking/core/groupBy.ts';
import { groupOf } from '../../tracking/core/groups.ts';
import { ReportTally } from '../../tracking/core/reportTally.ts';
import type { StoredTrace } from './stored.ts';
import { VerdictIndex } from './verdictIndex.ts';
import { isJudgeable, judged, sizeOf, termsOf, type ReportRules } from './verdicts.ts';

/** The one finding about a run that names episodes. */
const collidingIds = finding('colliding-ids', '');

/** Results that are read at a time. */
const atOnce = 1_000;

/**
 * The training report of a trace: counted for its view, and in temporary tables for lists. Every result is read once;
 * what comes later costs as much as the groups that it belongs to.
 */
export class RunVerdicts {
  readonly #trace: StoredTrace;
  readonly #index: VerdictIndex;
  #counted = new Counted();

  constructor(trace: StoredTrace) {
    this.#trace = trace;
    this.#index = new VerdictIndex(trace.rows);
  }

  view(rules: ReportRules): ReportView {
    this.refresh(rules);
    this.#counted.view ??= reportView(this.#counted.tally(rules), isJudgeable(rules));
    return this.#counted.view;
  }

  /** Takes in what has ended since the last time. */
  refresh(rules: ReportRules): void {
    // It is told with the run's end, after all results.
    const selection = this.#counted.selection ?? this.#trace.end()?.selection;
    const isUndone = this.#index.reached() !== this.#counted.sequence;
    if (isUndone || selection !== this.#counted.selection) {
      this.#index.clear();
      this.#counted = new Counted(selection);
    }
    for (;;) {
      const added = this.#trace.resultsAfter(this.#counted.sequence, atOnce);
      const last = added.at(-1);
      if (last === undefined) return;
      const results = added.map(({ result }) => result);
      this.#take(withSelection(results, selection), rules);
      this.#counted.sequence = last.sequence;
      this.#index.setReached(last.sequence);
    }
  }

  #take(results: readonly EpisodeResult[], rules: ReportRules): void {
    const counted = this.#counted;
    const tally = counted.tally(rules);
    const size = sizeOf(rules);
    const byGroup = groupBy(results, ({ episode }) => groupOf(episode, size));
    for (const [group, added] of byGroup) {
      const members = this.#members(group, added, rules);
      const verdict = judged(group, members, rules);
      tally.put(verdict);
      this.#index.put(verdict);
      if (verdict.group.whole) counted.open.delete(group);
      else counted.open.set(group, members);
    }
    this.#index.addOfRun(collidingIds, tally.colliding([...byGroup.keys()]));
    counted.view = undefined;
  }

  /** All results of a group, in order. */
  #members(group: number, added: readonly EpisodeResult[], rules: ReportRules): readonly EpisodeResult[] {
    const open = this.#counted.open.get(group) ?? [];
    const isClosed = open.length === 0 && this.#counted.tally(rules).has(group);
    // A group that was whole gets more only in a damaged trace.
    if (isClosed) return this.#trace.resultsOfGroups([group], sizeOf(rules));
    return [...open, ...added].sort((a, b) => a.episode - b.episode);
  }
}

/** What was made of the results so far. */
class Counted {
  readonly selection: readonly Selection[] | undefined;
  /** Sequence number of the last result; 0: none. */
  sequence = 0;
  /** Results of the groups that are not whole. */
  readonly open = new Map<number, readonly EpisodeResult[]>();
  view: ReportView | undefined;
  #tally: ReportTally | undefined;

  constructor(selection?: readonly Selection[]) {
    this.selection = selection;
  }

  tally(rules: ReportRules): ReportTally {
    this.#tally ??= new ReportTally(termsOf(rules));
    return this.#tally;
  }
}

function reportView(tally: ReportTally, judgeable: boolean): ReportView {
  const counts = judgeable ? tally.counts() : { trains: 0, doesNotTrain: 0 };
  return {
    ...counts,
    findings: tally.findings(largestWindow.episodes).map(({ code, groups, ...found }) => ({
      ...found,
      code,
      level: levelOf(code),
      hint: hintOf(code),
      groups: groups.length,
    })),
  };
}
