import type { RunView, TraceSummary } from '../../../../src/traces/core/protocol/runRpc.ts';
import type { TraceFiles } from '../../../../src/traces/node/server/service.ts';
import type { TraceReader, TraceViews } from '../../../../src/traces/core/views.ts';

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
  /** Views that a test replaces. */
  views: Partial<Record<keyof TraceViews, () => unknown>> = {};
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
    const views = {
      run: answer('run', () => ({ end: this.ended ? end : null, live: this.live }) as RunView),
      episodes: answer('episodes', () => ({ total: 0, rows: [] })),
      timelines: () => ({ tokens: { window: answer('tokens', () => undefined) } }),
      task: answer('task', () => ({ taskId: 't', query: 'q' })),
      counterparts: answer('counterparts', () => undefined),
      summary: answer('summary', () => ({ experiment: 'scripted' }) as TraceSummary),
      ...this.views,
    };
    return {
      read: (ask) => ask(views as unknown as TraceViews),
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
