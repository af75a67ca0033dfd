/** Requests of a viewer or an editor about the user's code, and their results. */
import * as z from 'zod/mini';
import type { CallSource } from '../../../tracking/core/records/trace.ts';
import type { LineRecord, PartRecord, ToolLineRecord } from '../records.ts';

const count = z.int().check(z.gte(0));

export const sourceOf = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('call'), call: count }),
  /** Identified by the tool's name. */
  z.object({ kind: z.literal('tool'), tool: z.string() }),
  z.object({ kind: z.literal('reward') }),
]);

export type SourceOf = z.infer<typeof sourceOf>;

export interface SourceView extends CallSource {
  /** The state of the file compared with the run; `unknown`: the trace has no fingerprint of it. */
  readonly state: 'same' | 'changed' | 'gone' | 'unknown';
  /** `scan`: found by the tool's name in the file as it is now. */
  readonly found: 'recorded' | 'scan';
}

export interface ShowResult {
  readonly source: SourceView;
  /** `page`: there is no editor, so the page shows the location. */
  readonly shown: 'editor' | 'page';
}

export interface DebugResult {
  /** `page`: there is no debugger, so the page shows the command. */
  readonly started: 'editor' | 'page';
  /** The command that does the same in a terminal, without a debugger. */
  readonly command: string;
}

export interface CodeLine extends CallSource {
  readonly state: SourceView['state'];
  /** The `contentFingerprint` of the file that has this line; null: unknown. */
  readonly fingerprint: string | null;
}

export interface LineView
  extends CodeLine, Omit<LineRecord, keyof CallSource | 'firstEpisode' | 'firstCall'> {
  /** The file as a filter names it. */
  readonly name: string;
  readonly first: { readonly episode: number; readonly call: number };
}

export interface ToolLineView extends CodeLine, ToolLineRecord {}

export interface PartLineView extends CodeLine, PartRecord {}

export interface LinesView {
  /** True while the run is active; then the lists are empty. */
  readonly live: boolean;
  readonly lines: readonly LineView[];
  readonly tools: readonly ToolLineView[];
  readonly execute: PartLineView | null;
  readonly judge: PartLineView | null;
}
