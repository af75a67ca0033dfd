import type { RunView, TraceSummary } from '../../../src/protocol/runRpc.ts';
import type { TraceFiles } from '../../../src/node/trace/server/service.ts';
import type { TraceReader } from '../../../src/trace/reader.ts';

/** A trace whose every state a test can set, which no real file can be made to be on demand. */
export class ScriptedTrace {
  changes = 0;
  live = true;
  ended = false;
  stamp = 'first';
  /** Thrown by whatever is asked. */
  failure: Error | undefined;
  /** Lets the time pass that an answer takes. */
  takesTime: (() => void) | undefined;
  opened = 0;
  closed = 0;
  /** What was asked, in order. */
  readonly asked: string[] = [];

  reader(): TraceReader {
    this.opened += 1;
    const answer =
      <T>(name: string, value: () => T) =>
      (...parameters: readonly unknown[]): T => {
        if (this.failure) throw this.failure;
        if (name !== 'changeCount') this.takesTime?.();
        this.asked.push([name, ...parameters.filter((one) => typeof one === 'number')].join(' '));
        return value();
      };
    const end = { status: 'completed', error: null, endedAt: 0 } as const;
    return {
      run: answer('run', () => ({ end: this.ended ? end : null, live: this.live }) as RunView),
      episodes: answer('episodes', () => ({ total: 0, rows: [] })),
      groups: answer('groups', () => undefined as never),
      group: answer('group', () => undefined as never),
      histograms: answer('histograms', () => undefined as never),
      names: answer('names', () => undefined as never),
      episode: answer('episode', () => undefined as never),
      spans: answer('spans', () => undefined as never),
      call: answer('call', () => undefined as never),
      timeline: answer('timeline', () => undefined as never),
      tokens: answer('tokens', () => undefined as never),
      comparable: () => undefined as never,
      token: answer('token', () => undefined as never),
      strip: answer('strip', () => undefined as never),
      find: () => ({ matches: [], next: null }),
      text: () => undefined as never,
      leftOut: () => [],
      binary: () => undefined as never,
      merging: () => undefined as never,
      otherwise: () => undefined as never,
      task: answer('task', () => ({ taskId: 't', query: 'q' })),
      counterparts: answer('counterparts', () => undefined as never),
      search: () => undefined as never,
      source: () => undefined as never,
      lines: answer('lines', () => undefined as never),
      replayed: () => undefined as never,
      recorded: answer('recorded', () => undefined as never),
      batch: answer('batch', () => undefined as never),
      callMessages: answer('callMessages', () => undefined as never),
      identity: answer('identity', () => undefined as never),
      rewardParts: answer('rewardParts', () => undefined as never),
      timelineMessages: answer('timelineMessages', () => undefined as never),
      summary: answer('summary', () => ({ experiment: 'scripted' }) as TraceSummary),
      changeCount: answer('changeCount', () => this.changes),
      close: () => (this.closed += 1),
    };
  }
}

/** Files by name; any other is not there. */
export function scriptedFiles(traces: Readonly<Record<string, ScriptedTrace>>): TraceFiles {
  return {
    open: (file) => {
      const trace = traces[file];
      if (trace === undefined) throw new Error(`no ${file}`);
      return trace.reader();
    },
    stampOf: (file) => traces[file]?.stamp ?? 'missing',
  };
}
